import type { TestProject } from "vitest/node";
import { generateRecords } from "../../data/generator/records.ts";
import { describeSources, listSeedFiles } from "../../data/sources.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { readSeed } from "../seed.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { findChromium, launchChromium } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of the browser that all browser tests share; undefined if there is no browser. */
    browser: string | undefined;
    /** The origin of the worker that serves the seed. All browser tests share it. */
    origin: string;
    /** The origins of the workers that serve other collections. */
    others: Record<Collection, string>;
  }
}

/** In this order: no records; one; one day; ten years; no `camera_ok` and long names of cameras; a store that fails. */
const COLLECTIONS = ["empty", "one", "day", "decade", "old", "failing"] as const;
export type Collection = (typeof COLLECTIONS)[number];

const MISSING =
  "Chromium was not found. Run `apt-get install chromium-headless-shell` or set the environment variable CHROMIUM to its path.";

/** Starts the browser and the worker once for all browser tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executable = findChromium();
  if (executable === undefined) {
    console.warn(`\nThe browser tests are skipped. ${MISSING}\n`);
    project.provide("browser", undefined);
    return undefined;
  }
  const [browser, worker, others] = await Promise.all([
    launchChromium(executable),
    readSeed().then((records) => startWith(records, describeSources(listSeedFiles(), undefined))),
    startOthers(),
  ]);
  project.provide("browser", browser.wsEndpoint());
  project.provide("origin", worker.origin);
  const origins = COLLECTIONS.map((name, index) => [name, others[index]?.origin]);
  project.provide("others", Object.fromEntries(origins));
  return async () => {
    await Promise.all([browser, worker, ...others].map((server) => server.close()));
  };
}

async function startWith(records: TrafficRecord[], sources: string[] = []): Promise<RunningWorker> {
  const worker = await startWorker();
  if (records.length > 0) await loadInto(worker.env, "d1", records, sources);
  return worker;
}

function startOthers(): Promise<RunningWorker[]> {
  const generate = (from: string, to: string, cameras: number, interval: number) => [
    ...generateRecords({ seed: 1, from: new Date(from), to: new Date(to), cameras, interval }),
  ];
  const day = generate("2024-01-01", "2024-01-02", 30, 30);
  const old = day.map((record, index) => ({
    ...record,
    camera_ok: null,
    camera_pk: index % 2,
    camera_ref: index % 2 === 0 ? "a33" : "a-long-reference-".repeat(4).slice(0, 64),
  }));
  const loads = [[], day.slice(0, 1), day, generate("2019-01-01", "2029-01-01", 2, 1_440), old];
  // A word that is wider than a phone.
  const source = ["x".repeat(100)];
  return Promise.all([
    ...loads.map((records) => startWith(records, source)),
    startWorker({ migrate: false }),
  ]);
}
