import { expect } from "vitest";
import type { Env } from "../../src/env.ts";
import { generateRecords, SEED } from "../../src/generator/records.ts";
import app from "../../src/index.ts";
import { Page, type TrafficRecord } from "../../src/records/record.ts";
import { context } from "../worker.ts";

export const COLLECTION = "https://counts.example/api/tf1/records/";

/** The loaded records, up to the end of an interval. The next interval ends at 12:00. */
export const loaded = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z");

/** The loaded records and those that have been added until this time. */
export const until = (time: string) => recordsOf("2026-11-20T08:00:00Z", time);

/** The generated records of a period, oldest first, in the order of their positions in the collection. */
export function recordsOf(from: string, to: string): TrafficRecord[] {
  const records = [...generateRecords({ seed: SEED, from: new Date(from), to: new Date(to) })];
  return records.sort((one, other) => place(one, other));
}

function place(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp === other.timestamp) return one.camera_ref > other.camera_ref ? -1 : 1;
  return one.timestamp < other.timestamp ? -1 : 1;
}

/** Calls the handler of the cron trigger in this process, with `GROW` on, as if it was due at this time. */
export async function growAt(env: Env, time: string): Promise<void> {
  const controller = { scheduledTime: Date.parse(time), cron: "5,35 * * * *", noRetry() {} };
  await app.scheduled(controller, { ...env, GROW: "on" });
}

/**
 * Follows the links of a collection to its last page.
 * @param open returns the environment of an instance: one for all pages, or one for each page if `happen` is given
 * @param happen is called after each page
 * @returns the records, oldest first
 */
export async function walk(
  open: () => Env,
  first = COLLECTION,
  happen?: () => Promise<void>,
): Promise<TrafficRecord[]> {
  const instance = happen ? undefined : open();
  const records: TrafficRecord[] = [];
  for (let url: string | null = first; url !== null; await happen?.()) {
    const answer = await app.request(url, {}, instance ?? open(), context);
    expect(answer.status).toBe(200);
    const page = Page.parse(await answer.json());
    records.push(...page.results);
    url = page.next;
  }
  return records.reverse();
}
