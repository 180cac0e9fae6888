import { afterEach, beforeEach, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { loadInto, type RunningWorker, useWorker } from "../worker.ts";
import { loaded } from "./collection.ts";

export let worker: RunningWorker;

/** Starts a worker for the tests of a file, and restores mocks and timers after each test. */
export function useGrowingWorker(): void {
  worker = useWorker();
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/**
 * Before each test, loads the records that growth runs continue, and silences the log.
 * @returns a function that returns the environment of a new instance
 */
export function useLoaded(): () => Env {
  beforeEach(async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    await loadInto(worker.env, "d1", loaded);
  });
  return () => ({ ...worker.env });
}
