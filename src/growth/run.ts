import type { ScheduledController } from "@cloudflare/workers-types";
import type { Env } from "../env.ts";
import type { Source } from "../records/statistics.ts";
import { createStore } from "../store/open.ts";
import { append, requireAppends } from "../store/writer.ts";
import { nextRecords } from "./next-records.ts";

/** The source of the records that a run adds. */
const SOURCE: Source = { kind: "growth", name: "cron trigger" };

/**
 * Handles the cron trigger: adds records to the collection up to the time at which the run was due. If `GROW` is not `on`,
 * it reads nothing. An error is logged, and Cloudflare reports the run as failed.
 * @throws if `GROW` is invalid or the collection cannot grow
 */
export async function grow({ scheduledTime }: ScheduledController, env: Env): Promise<void> {
  const { GROW = "off" } = env;
  if (GROW === "off") return;
  if (GROW !== "on") throw new Error(`GROW is ${JSON.stringify(GROW)}; it must be "on" or "off"`);
  await runGrowth(env, new Date(scheduledTime));
}

/**
 * Adds the records that are missing up to now as one append, all of them or none; after a long pause as many as one run
 * may add.
 * @param now when the run was due
 * @throws Error if the store takes loads only, if nothing is loaded that could grow, if something else is written meanwhile, or if the store fails
 */
export async function runGrowth(env: Env, now: Date): Promise<void> {
  const store = createStore(env);
  requireAppends(store);
  const base = await store.readStatistics(true);
  if (base.state.load === "") throw new Error("The collection cannot grow: nothing was ever loaded.");
  const records = nextRecords(base.statistics, now);
  if (records.length === 0) return;
  const { count } = await append(store, records, base, { sources: [SOURCE] });
  console.log(`Added ${records.length} records; ${count} are loaded.`);
}
