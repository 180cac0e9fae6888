import type { Env } from "../../src/env.ts";
import { generateRecords, SEED } from "../../src/generator/records.ts";
import app from "../../src/index.ts";
import type { TrafficRecord } from "../../src/records/record.ts";

/** What the generator makes from one moment to another, oldest first, as the collection is numbered. */
export function recordsOf(from: string, to: string): TrafficRecord[] {
  const records = [...generateRecords({ seed: SEED, from: new Date(from), to: new Date(to) })];
  return records.sort((one, other) => place(one, other));
}

function place(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp === other.timestamp) return one.camera_ref > other.camera_ref ? -1 : 1;
  return one.timestamp < other.timestamp ? -1 : 1;
}

/** Calls the cron trigger's handler, in this process, with `GROW` on, as if it had been due at the time. */
export async function growAt(env: Env, time: string): Promise<void> {
  const controller = { scheduledTime: Date.parse(time), cron: "5,35 * * * *", noRetry() {} };
  await app.scheduled(controller, { ...env, GROW: "on" });
}
