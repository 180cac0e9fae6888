import type { D1Database } from "@cloudflare/workers-types";
import { createTestHarness } from "wrangler";
import { loadStatements } from "../data/targets/d1.ts";
import type { Env } from "../src/env.ts";
import type { TrafficRecord } from "../src/records/record.ts";

export interface RunningWorker {
  /** Where it listens, such as `http://localhost:41234`. */
  origin: string;
  env: Env;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Starts the worker in workerd, as wrangler.toml says, with its own empty D1.
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

let version = 1;

/**
 * Loads records, oldest first, with the statements that a load executes.
 * @returns the version
 */
export async function loadInto(database: D1Database, records: TrafficRecord[]): Promise<number> {
  version += 1;
  for (const { sql } of loadStatements(records, { version, count: records.length })) {
    await database.prepare(sql).run();
  }
  return version;
}
