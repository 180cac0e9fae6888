import { COLLECTION_PATH, lastPage, locatePage, pageUrls, writeEnvelope } from "../../../src/records/page.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { makeRecords } from "../../records/sample.ts";

export type Fetch = (request: Request) => Promise<Response>;

/** Our own service in this process. */
export interface OwnService {
  fetch: Fetch;
  /** The records that it has at first, newest first. */
  records: TrafficRecord[];
  /** Replaces the records. */
  replace(records: TrafficRecord[]): void;
}

const HEADERS = { Allow: "GET, OPTIONS", "Content-Type": "application/json", Vary: "Accept" };

export function createOwnService(records: TrafficRecord[]): OwnService {
  let current = records;
  return {
    records,
    replace: (replacement) => {
      current = replacement;
    },
    async fetch({ url, method }) {
      const { origin, pathname, searchParams } = new URL(url);
      const respond = (status: number, value: unknown) => Response.json(value, { status, headers: HEADERS });
      if (pathname !== COLLECTION_PATH) return respond(404, { detail: "Not found." });
      if (method === "OPTIONS") return respond(200, { name: "Records" });
      if (method !== "GET") return respond(405, { detail: `Method "${method}" not allowed.` });
      const [count, number] = [current.length, Number(searchParams.get("page") ?? 1)];
      if (!(number >= 1 && number <= lastPage(count))) return respond(404, { detail: "Invalid page." });
      const page = locatePage(count, number);
      const results = JSON.stringify(current.slice(count - page.last, count - page.first + 1));
      const body = writeEnvelope(page, results, pageUrls(origin + COLLECTION_PATH, searchParams));
      return new Response(body, { headers: HEADERS });
    },
  };
}

/** Records that cover the whole specification, newest first. The newer half is from 2025, the rest from 2019. */
export function makeCollection(count: number): TrafficRecord[] {
  const move = (record: TrafficRecord, index: number) =>
    index < count / 2 ? record : { ...record, timestamp: record.timestamp.replace("2019", "2025") };
  return makeRecords(count).map(move).reverse();
}
