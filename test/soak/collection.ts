import { PAGE_SIZE } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";

const PATH = "/api/tf1/records/";

/** An allowed response. */
export interface Expected {
  status: number;
  /** Undefined if only the status is checked. */
  body?: string;
}

/** A collection as the service must return it, newest first. */
export interface Collection {
  pages: number;
  /** The expected response to a request for the page: 404 past the end. */
  expected(page: number): Expected;
}

/** @param records in any order */
export function describeCollection(origin: string, records: TrafficRecord[]): Collection {
  const newestFirst = records.toSorted(compareNewestFirst).map((record) => JSON.stringify(record));
  const count = newestFirst.length;
  const pages = Math.ceil(count / PAGE_SIZE);
  const link = (page: number) =>
    page < 1 || page > pages ? "null" : `"${origin}${PATH}?format=api&page=${page}"`;
  return {
    pages,
    expected(page) {
      if (page > pages) return invalidPage;
      const results = newestFirst.slice(PAGE_SIZE * (page - 1), PAGE_SIZE * page);
      const links = `"next":${link(page + 1)},"previous":${link(page - 1)}`;
      return { status: 200, body: `{"count":${count},${links},"results":[${results}]}` };
    },
  };
}

export const invalidPage: Expected = { status: 404, body: '{"detail":"Invalid page."}' };

/** The collection's total order: newest first, then by camera, then by id. */
export function compareNewestFirst(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp > other.timestamp ? -1 : 1;
  if (one.camera_ref !== other.camera_ref) return one.camera_ref < other.camera_ref ? -1 : 1;
  return one.id - other.id;
}
