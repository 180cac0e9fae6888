import { createApp } from "../../../src/app.ts";
import type { Env } from "../../../src/env.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";
import { assignStore } from "../../../src/store/open.ts";
import { load } from "../../../src/store/writer.ts";
import { makeRecords } from "../../records/sample.ts";

export type Fetch = (request: Request) => Promise<Response>;

/** Our own service in this process. */
export interface OwnService {
  fetch: Fetch;
  /** The records that it has at first, newest first. */
  records: TrafficRecord[];
  /** Replaces the records, also newest first. */
  replace(records: TrafficRecord[]): Promise<unknown>;
}

const context = { waitUntil() {}, passThroughOnException() {}, props: {} };

export async function createOwnService(records: TrafficRecord[]): Promise<OwnService> {
  const store = createMemoryStore();
  const env = {} as Env;
  assignStore(env, store);
  const app = createApp();
  let replaced: Promise<unknown> = Promise.resolve();
  const replace = (replacement: TrafficRecord[]) => {
    // One after the other, so that the last one wins.
    replaced = replaced.then(() => load(store, replacement.toReversed()));
    return replaced;
  };
  await replace(records);
  return { records, replace, fetch: async (request) => app.fetch(request, env, context) };
}

/** Records that cover the whole specification, newest first. The newer half is from 2025, the rest from 2019. */
export function makeCollection(count: number): TrafficRecord[] {
  const move = (record: TrafficRecord, index: number) =>
    index < count / 2 ? record : { ...record, timestamp: record.timestamp.replace("2019", "2025") };
  return makeRecords(count).map(move).reverse();
}
