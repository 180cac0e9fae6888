import { writeEnvelope } from "../../src/records/envelope.ts";
import { PAGE_SIZE, pageUrls } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";

/**
 * Writes all pages of a collection, from the first on, an envelope a line: what the service answers to
 * `?format=api&page=1`, 2, and so on.
 * @param records newest first; `count` of them
 * @param collection absolute URL of the collection, for the links
 */
export async function* writePages(
  records: AsyncIterable<TrafficRecord>,
  count: number,
  collection: string,
): AsyncGenerator<string> {
  const url = pageUrls(collection, new URLSearchParams());
  let page: TrafficRecord[] = [];
  let number = 1;
  let left = count;
  for await (const record of records) {
    page.push(record);
    left -= 1;
    if (page.length < PAGE_SIZE && left > 0) continue;
    yield `${writeEnvelope({ count, number, results: JSON.stringify(page) }, url)}\n`;
    page = [];
    number += 1;
  }
}
