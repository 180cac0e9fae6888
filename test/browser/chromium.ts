import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type BrowserServer, chromium } from "@playwright/test";

/** The names of the program in Debian, in Ubuntu and from Google. The headless shell takes half the CPU time of the others. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "google-chrome",
  "google-chrome-stable",
  "chromium-browser",
];

/** The sandbox does not work as root in a container, and tests must send requests only to the worker. */
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
 * @returns the value of the environment variable `CHROMIUM`, otherwise the first of the names that is on the `PATH`,
 * otherwise undefined
 * @throws if `CHROMIUM` is not a program
 */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named && !isProgram(named)) throw new Error(`CHROMIUM is ${named}, which is not a program.`);
  if (named) return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Starts Chromium without a window. Several processes can connect to it. */
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
