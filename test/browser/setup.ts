import { spawnSync } from "node:child_process";
import { chromium } from "@playwright/test";
import type { TestProject } from "vitest/node";
import { createForRoadUsers } from "../../src/records/road-users.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { generateRecords } from "../../tools/data/generator.ts";
import { MARKUP } from "../support/html-view.ts";
import { loadInto, type RunningWorker, startWorker } from "../support/worker.ts";
import { readSampleData } from "../tools/data/input.ts";
import type { CollectionName } from "./pages.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of the browser that all browser tests share; undefined if there is no browser. */
    browser: string | undefined;
    /** The origins of the workers, which all browser tests share. */
    origins: Record<CollectionName, string>;
  }
}

const MISSING =
  "Chromium was not found. Run `apt-get install chromium-headless-shell` or set the environment variable CHROMIUM to its path.";

/** Finds Chromium on the PATH by its names in Debian, in Ubuntu and from Google. The headless shell uses half the CPU time. */
function findChromium(): string {
  const find = 'for name; do command -v "$name" && exit; done';
  const names = "chromium-headless-shell chromium google-chrome google-chrome-stable chromium-browser";
  return spawnSync("sh", ["-c", find, "sh", ...names.split(" ")], { encoding: "utf8" }).stdout.trim();
}

/** Starts the browser and the workers once for all browser tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = process.env.CHROMIUM || findChromium();
  if (!executablePath) {
    console.warn(`\nThe browser tests are skipped. ${MISSING}\n`);
    project.provide("browser", undefined);
    return undefined;
  }
  const [browser, seed, extreme] = await Promise.all([
    chromium.launchServer({ executablePath, host: "127.0.0.1" }),
    startWith(await readSampleData(), ["generated"]),
    // The source is a word that is wider than the screen of a phone.
    startWith(makeExtremeRecords(), ["x".repeat(100)]),
  ]);
  project.provide("browser", browser.wsEndpoint());
  project.provide("origins", { seed: seed.origin, extreme: extreme.origin });
  return async () => {
    await Promise.all([browser, seed, extreme].map((server) => server.close()));
  };
}

async function startWith(records: TrafficRecord[], sources: string[]): Promise<RunningWorker> {
  const worker = await startWorker();
  await loadInto(worker.env, "d1", records, sources);
  return worker;
}

function makeExtremeRecords(): TrafficRecord[] {
  const [from, to] = [new Date("2024-01-01"), new Date("2024-04-01")];
  const references = ["a33", "a-long-reference-".repeat(4).slice(0, 64), ...MARKUP];
  return Array.from(generateRecords({ seed: 1, from, to, cameras: 30, interval: 720 }), (record, index) => ({
    ...record,
    id: Number.MIN_SAFE_INTEGER + index,
    camera_ok: null,
    ...createForRoadUsers((roadUser) => (index % 2 === 0 ? Number.MAX_SAFE_INTEGER : record[roadUser])),
    camera_pk: Number.MIN_SAFE_INTEGER + (index % references.length),
    camera_ref: references[index % references.length]!,
  }));
}
