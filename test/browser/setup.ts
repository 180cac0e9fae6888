import type { TestProject } from "vitest/node";
import { generateRecords } from "../../src/generator/records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { Source } from "../../src/records/statistics.ts";
import { committedRecords } from "../data/committed-seed.ts";
import { compareNewestFirst } from "../records/sample.ts";
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

/** In this order: no records; a hundred days, more than a chart can show; one day; a store that fails. */
export type Collection = "empty" | "long" | "day" | "failing";

const MISSING =
  "Chromium was not found. Run `apt-get install chromium-headless-shell` or set the environment variable CHROMIUM to its path.";

/** Starts the browser and the worker once for all browser tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executable = findChromium();
  if (executable === undefined) {
    if (process.env.CI && process.env.CI !== "false") throw new Error(`Browser tests: ${MISSING}`);
    console.warn(`\nThe browser tests are skipped. ${MISSING}\n`);
    project.provide("browser", undefined);
    return undefined;
  }
  const [browser, worker, others] = await Promise.all([
    launchChromium(executable),
    startWith(committedRecords().sort(compareNewestFirst).reverse(), [{ kind: "seed", name: "data/seed" }]),
    startOthers(),
  ]);
  project.provide("browser", browser.wsEndpoint());
  project.provide("origin", worker.origin);
  const { empty, long, day, failing } = others;
  project.provide("others", {
    empty: empty.origin,
    long: long.origin,
    day: day.origin,
    failing: failing.origin,
  });
  return async () => {
    await Promise.all([browser, worker, empty, long, day, failing].map((server) => server.close()));
  };
}

async function startWith(records: TrafficRecord[], sources: Source[] = []): Promise<RunningWorker> {
  const worker = await startWorker();
  await loadInto(worker.env, "d1", records, sources);
  return worker;
}

async function startOthers(): Promise<Record<Collection, RunningWorker>> {
  const period = { seed: 1, from: new Date("2024-01-01"), to: new Date("2024-04-10") };
  const days = generateRecords({ ...period, cameras: 2, interval: 360 });
  const hours = generateRecords({ ...period, to: new Date("2024-01-02"), cameras: 30, interval: 30 });
  const [empty, long, day, failing] = await Promise.all([
    startWorker(),
    startWith([...days]),
    startWith([...hours]),
    startWorker({ migrate: false }),
  ]);
  return { empty, long, day, failing };
}
