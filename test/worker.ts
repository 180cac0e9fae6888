import { afterAll, beforeAll } from "vitest";
import { createTestHarness } from "wrangler";
import type { Env } from "../src/env.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import type { Source } from "../src/records/statistics.ts";
import { createStore } from "../src/store/open.ts";
import type { State } from "../src/store/store.ts";
import { append, load } from "../src/store/writer.ts";
import type { StoreName } from "../tools/configuration.ts";
import { findBundle } from "./bundled-worker.ts";
import { checkResponse } from "./openapi-check.ts";

export interface RunningWorker {
  /** Where it listens, such as `http://localhost:41234`. */
  origin: string;
  env: Env;
  /** Asks the worker, follows no redirect, and throws if the answer is not as the OpenAPI document says. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Calls it as the cron trigger does that was due at this moment. Gives the outcome, `ok` if it did not throw. */
  runScheduled(at: Date): Promise<string>;
  /** What it wrote to its log, a text a message. */
  logs(): string[];
  close(): Promise<void>;
}

interface WorkerOptions {
  /** Replace those of wrangler.toml. */
  vars?: Record<string, string>;
  /** False leaves the database without tables. */
  migrate?: boolean;
}

/** Starts a worker for the tests of a file or of a group, and closes it after them. */
export function useWorker(options?: WorkerOptions): RunningWorker {
  const worker = {} as RunningWorker;
  beforeAll(async () => void Object.assign(worker, await startWorker(options)));
  afterAll(() => worker.close?.());
  return worker;
}

/** Starts the worker in workerd, as wrangler.toml says, with its own empty stores. */
export async function startWorker({ vars = {}, migrate = true }: WorkerOptions = {}): Promise<RunningWorker> {
  const harness = createTestHarness({
    workers: [{ configPath: "./wrangler.toml", prebuiltWorkerDir: findBundle(), vars }],
  });
  const { url } = await harness.listen();
  const worker = harness.getWorker<Env>();
  if (migrate) await worker.applyD1Migrations("DB");
  return {
    origin: url.origin,
    env: await worker.getEnv(),
    fetch: (path, init) => fetchChecked(new Request(new URL(path, url), { redirect: "manual", ...init })),
    runScheduled: async (at) => (await worker.scheduled({ scheduledTime: at })).outcome,
    logs: () => harness.getLogs().map(({ message }) => message),
    close: () => harness.close(),
  };
}

async function fetchChecked(request: Request): Promise<Response> {
  const response = await fetch(request);
  await checkResponse(request, response);
  return response;
}

/** What the runtime gives a request besides the environment, for requests that are answered in this process. */
export const context = {
  waitUntil() {},
  passThroughOnException() {},
  props: {},
};

/**
 * Loads records, oldest first, through the worker's bindings.
 * @returns the new state
 */
export function loadInto(
  env: Env,
  store: StoreName,
  records: TrafficRecord[],
  sources: Source[] = [],
): Promise<State> {
  return load(createStore({ ...env, STORE: store }), records, undefined, sources);
}

/**
 * Adds records, oldest first, to those that are loaded, through the worker's bindings.
 * @returns the new state
 */
export async function appendTo(env: Env, name: StoreName, records: TrafficRecord[]): Promise<State> {
  const store = createStore({ ...env, STORE: name });
  const state = await store.readState(true);
  const statistics = await store.readStatistics(state);
  if (!statistics) throw new Error("There are no statistics to continue");
  return append(store, records, { state, statistics });
}
