import { generateRecords, SEED } from "../../src/generator/records.ts";
import app from "../../src/index.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { compareNewestFirst } from "../records/sample.ts";

/** The loaded records, up to the end of an interval. The next interval ends at 12:00. */
export const loaded = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z");

/** The loaded records and those that have been added until this time. */
export const until = (time: string) => recordsOf("2026-11-20T08:00:00Z", time);

/** The generated records of a period, oldest first, in the order of their positions in the collection. */
export function recordsOf(from: string, to: string): TrafficRecord[] {
  const records = [...generateRecords({ seed: SEED, from: new Date(from), to: new Date(to) })];
  return records.sort(compareNewestFirst).reverse();
}

/** Calls the handler of the cron trigger in this process, as if it was due at this time. */
export function runScheduled(env: Parameters<typeof app.scheduled>[1], time: string): Promise<void> {
  return app.scheduled({ scheduledTime: Date.parse(time), cron: "5,35 * * * *", noRetry() {} }, env);
}
