import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type BrowserServer, chromium } from "playwright-core";

/** What Debian, Ubuntu and Google call it. */
const NAMES = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser"];

/** As root in a container there is no sandbox; and a test speaks to nobody but the worker. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Finds Chromium or Chrome.
 * @returns the path that the environment variable `CHROMIUM` names, else the first on the `PATH`, else undefined
 * @throws if `CHROMIUM` names no program
 */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named && !isProgram(named)) throw new Error(`CHROMIUM is ${named}, which is no program.`);
  if (named) return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Starts it, headless, for any number of processes to connect to. */
export function launchChromium(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: ARGUMENTS, host: "127.0.0.1" });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
