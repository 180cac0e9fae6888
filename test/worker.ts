import { createTestHarness } from "wrangler";
import { loadStatements } from "../data/targets/d1.ts";
import { writePairs } from "../data/targets/kv.ts";
import type { StoreName } from "../data/targets/targets.ts";
import type { Env } from "../src/env.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import { STATE_KEY } from "../src/records/store/blocks.ts";
import type { State } from "../src/records/store/store.ts";

export interface RunningWorker {
  /** Where it listens, such as `http://localhost:41234`. */
  origin: string;
  env: Env;
  fetch(path: string, init?: RequestInit): Promise<Response>;
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
    fetch: (path, init) => fetch(new URL(path, url), { redirect: "manual", ...init }),
    close: () => harness.close(),
  };
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
  await KV.put(STATE_KEY, JSON.stringify(state));
}
