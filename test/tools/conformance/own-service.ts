import type { TrafficRecord } from "../../../src/records/record.ts";
import { createMemoryService } from "../../memory-service.ts";
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

export async function createOwnService(records: TrafficRecord[]): Promise<OwnService> {
  const service = await createMemoryService(records.toReversed());
  let replaced: Promise<unknown> = Promise.resolve();
  return {
    records,
    fetch: (request) => service.fetch(request.url, request),
    // One after the other, so that the last one wins.
    replace: (replacement) => (replaced = replaced.then(() => service.load(replacement.toReversed()))),
  };
}

/** Records that cover the whole specification, newest first. The newer half is from 2025, the rest from 2019. */
export function makeCollection(count: number): TrafficRecord[] {
  const move = (record: TrafficRecord, index: number) =>
    index < count / 2 ? record : { ...record, timestamp: record.timestamp.replace("2019", "2025") };
  return makeRecords(count).map(move).reverse();
}
