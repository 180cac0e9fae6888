import type { Env } from "../env.ts";
import type { Source } from "../records/statistics.ts";
import { createStore } from "../store/open.ts";
import { append } from "../store/writer.ts";
import { nextRecords } from "./next-records.ts";

/** The source of the records that a run adds. */
const SOURCE: Source = { kind: "growth", name: "cron trigger" };

/**
 * Adds the records that are missing up to now as one append, all of them or none; after a long pause as many as one run
 * may add.
 * @param now when the run was due
 * @throws Error if nothing is loaded that could grow, if something else is written meanwhile, or if the store fails
 */
export async function runGrowth(env: Env, now: Date): Promise<void> {
  const store = createStore(env);
  const state = await store.readState(true);
  if (state.version === 0) throw new Error("The collection cannot grow: nothing was ever loaded.");
  const statistics = await store.readStatistics(state);
  if (!statistics) throw new Error("The collection cannot grow: its statistics are missing.");
  const records = nextRecords(statistics, now);
  if (records.length === 0) return;
  const { count } = await append(store, records, { state, statistics }, undefined, [SOURCE]);
  console.log(`Added ${records.length} records; ${count} are loaded.`);
}
