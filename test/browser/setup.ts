import type { TestProject } from "vitest/node";
import { seedRecords } from "../../data/generator/seed.ts";
import { compareNewestFirst } from "../soak/collection.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { findChromium, launchChromium } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser that all browser tests share waits for connections; undefined if there is none. */
    browser: string | undefined;
    /** Where the worker that all browser tests share serves the seed. */
    origin: string;
  }
}

const MISSING =
  "no Chromium found: `apt-get install chromium`, or name one in the environment variable CHROMIUM.";

/** Starts the browser and the worker once for all browser tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executable = findChromium();
  if (executable === undefined) {
    if (process.env.CI && process.env.CI !== "false") throw new Error(`Browser tests: ${MISSING}`);
    console.warn(`\nThe browser tests are skipped: ${MISSING}\n`);
    project.provide("browser", undefined);
    return undefined;
  }
  const [browser, worker] = await Promise.all([launchChromium(executable), startWithSeed()]);
  project.provide("browser", browser.wsEndpoint());
  project.provide("origin", worker.origin);
  return async () => {
    await Promise.all([browser.close(), worker.close()]);
  };
}

async function startWithSeed(): Promise<RunningWorker> {
  const worker = await startWorker();
  await loadInto(worker.env, "d1", [...seedRecords()].sort(compareNewestFirst).reverse());
  return worker;
}
