import { createTestHarness } from "wrangler";
import type { StoreName } from "../data/targets/targets.ts";
import type { Env } from "../src/env.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import { BLOCK_SIZE } from "../src/store/blocks.ts";
import { appendStatements, loadStatements } from "../src/store/d1-statements.ts";
import { appendPairs, switchTo, writePairs } from "../src/store/kv-pairs.ts";
import type { State } from "../src/store/store.ts";
import { statisticsOf } from "./data/statistics.ts";
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

/**
 * Starts the worker in workerd, as wrangler.toml says, with its own empty stores.
 * @param vars replace those of wrangler.toml
 * @param migrate false leaves the database without tables
 */
export async function startWorker({ vars = {}, migrate = true } = {}): Promise<RunningWorker> {
  const harness = createTestHarness({ workers: [{ configPath: "./wrangler.toml", vars }] });
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

let version = 1;

/**
 * Loads records, oldest first, just as a load does, but through the worker's bindings.
 * @returns the state, of which no other load has the version
 */
export async function loadInto(env: Env, store: StoreName, records: TrafficRecord[]): Promise<State> {
  version += 1;
  const state = { version, count: records.length };
  if (store === "d1") await loadIntoD1(env, records, state);
  else await loadIntoKv(env, records, state);
  return state;
}

async function loadIntoD1({ DB }: Env, records: TrafficRecord[], state: State): Promise<void> {
  for (const { sql } of loadStatements(records, state)) await DB.prepare(sql).run();
}

async function loadIntoKv({ KV }: Env, records: TrafficRecord[], state: State): Promise<void> {
  for (const { key, value } of writePairs(records, state)) await KV.put(key, value);
  await putState({ KV }, state);
}

async function putState({ KV }: Pick<Env, "KV">, state: State): Promise<void> {
  const { key, value } = switchTo(state, new Date());
  await KV.put(key, value);
}

/**
 * Adds records, oldest first, to those that are loaded, just as an append does, but through the worker's bindings.
 * @returns the state afterwards
 */
export async function appendTo(
  env: Env,
  store: StoreName,
  loaded: TrafficRecord[],
  state: State,
  records: TrafficRecord[],
): Promise<State> {
  const continued = { state, statistics: statisticsOf(loaded) };
  const grown = { ...state, count: state.count + records.length };
  if (store === "d1") {
    const statements = [...appendStatements(records, continued, grown.count, -state.version)];
    await env.DB.batch(statements.map(({ sql }) => env.DB.prepare(sql)));
  } else {
    const tail = loaded.slice(loaded.length - (loaded.length % BLOCK_SIZE));
    for (const { key, value } of appendPairs(tail, records, continued, grown.count))
      await env.KV.put(key, value);
    await putState(env, grown);
  }
  return grown;
}
