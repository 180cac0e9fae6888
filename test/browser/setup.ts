import { spawnSync } from "node:child_process";
import { chromium } from "@playwright/test";
import type { TestProject } from "vitest/node";
import { generateRecords } from "../../data/generator.ts";
import { getSourceNames, listSeedFiles } from "../../data/load-content.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { readSeed } from "../data/input.ts";
import { MARKUP } from "../views/html-view.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import type { CollectionName } from "./pages.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of the browser that all browser tests share; undefined if there is no browser. */
    browser: string | undefined;
    /** The origin of the worker that serves the seed. All browser tests share it. */
    origin: string;
    /** The origins of the workers with unusual collections. */
    collections: Record<CollectionName, string>;
  }
}

const MISSING =
  "Chromium was not found. Run `apt-get install chromium-headless-shell` or set the environment variable CHROMIUM to its path.";

/** Finds Chromium on the PATH by its names in Debian, in Ubuntu and from Google. The headless shell uses half the CPU time. */
function findChromium(): string {
  const find = 'for name; do command -v "$name" && exit; done';
  const names = [
    "chromium-headless-shell",
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chromium-browser",
  ];
  return spawnSync("sh", ["-c", find, "sh", ...names], { encoding: "utf8" }).stdout.trim();
}

/** Starts the browser and the worker once for all browser tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = process.env.CHROMIUM || findChromium();
  if (!executablePath) {
    console.warn(`\nThe browser tests are skipped. ${MISSING}\n`);
    project.provide("browser", undefined);
    return undefined;
  }
  const [browser, worker, workers] = await Promise.all([
    chromium.launchServer({ executablePath, host: "127.0.0.1" }),
    readSeed().then((records) => startWith(records, getSourceNames(listSeedFiles(), undefined))),
    startUnusual(),
  ]);
  project.provide("browser", browser.wsEndpoint());
  project.provide("origin", worker.origin);
  const origins = Object.entries(workers).map(([name, { origin }]) => [name, origin]);
  project.provide("collections", Object.fromEntries(origins));
  return async () => {
    await Promise.all([browser, worker, ...Object.values(workers)].map((server) => server.close()));
  };
}

async function startWith(records: TrafficRecord[], sources: string[] = []): Promise<RunningWorker> {
  const worker = await startWorker();
  if (records.length > 0) await loadInto(worker.env, "d1", records, sources);
  return worker;
}

/** Starts workers with unusual collections: `extreme` has long ids, large counts, and cameras with long names or markup. The store of `failing` fails. */
async function startUnusual(): Promise<Record<CollectionName, RunningWorker>> {
  const generate = (from: string, to: string, cameras: number, interval: number) => [
    ...generateRecords({ seed: 1, from: new Date(from), to: new Date(to), cameras, interval }),
  ];
  const records = generate("2024-01-01", "2024-01-02", 30, 30);
  const references = ["a33", "a-long-reference-".repeat(4).slice(0, 64), ...MARKUP];
  const extremeRecords = records.map((record, index) => ({
    ...record,
    id: 9_007_199_254_000_000 + index,
    camera_ok: null,
    cars: record.cars * 1_000,
    persons: 12_345,
    bicycles: 12_345,
    camera_pk: index % references.length,
    camera_ref: references[index % references.length]!,
  }));
  // A word that is wider than the screen of a phone.
  const source = ["x".repeat(100)];
  const [empty, one, day, decade, extreme, failing] = await Promise.all([
    startWith([]),
    startWith([records.find(({ cars }) => cars > 0)!], source),
    startWith(records, source),
    startWith(generate("2019-01-01", "2029-01-01", 2, 1_440), source),
    startWith(extremeRecords, source),
    startWorker({ migrate: false }),
  ]);
  return { empty, one, day, decade, extreme, failing };
}
