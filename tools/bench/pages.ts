import { WRITERS } from "../../data/formats/formats.ts";
import { writeOutput } from "../../data/formats/output-file.ts";
import { generateRecords, SEED } from "../../data/generator/records.ts";
import { COLLECTION_PATH, lastPage, PAGE_SIZE } from "../../src/records/page.ts";

/** A request for a page. */
export interface PageRequest {
  url: string;
  /** The only correct response. */
  body: string;
}

/** The place of a page in the collection. */
export type PageName = "first" | "middle" | "last";

const PERIOD = { from: new Date("2019-01-01"), to: new Date("+010000-01-01"), seed: SEED };

/** The numbers of the pages that are measured. The first 10 may come from the state alone, without a block. */
export function namePages(count: number): Record<PageName, number> {
  return { first: 11, middle: Math.ceil(lastPage(count) / 2), last: lastPage(count) };
}

/**
 * Writes generated records into a file.
 * @param pages the numbers of the pages that can be requested
 * @returns a function that makes requests for them, with the responses that follow from the records
 */
export async function writeCollection(file: string, count: number, pages: number[]) {
  const results = new Map<number, string[]>(pages.map((page) => [page, []]));
  function* generate() {
    let newer = count;
    for (const record of generateRecords(PERIOD)) {
      results.get(1 + Math.floor(--newer / PAGE_SIZE))?.unshift(JSON.stringify(record));
      yield record;
      if (newer === 0) return;
    }
  }
  await writeOutput(file, WRITERS.csv(generate()));
  return (page: number, origin: string): PageRequest => {
    const url = (number: number) => `${origin}${COLLECTION_PATH}?format=api&page=${number}`;
    const link = (number: number) => (number < 1 || number > lastPage(count) ? null : `"${url(number)}"`);
    const links = `"next":${link(page + 1)},"previous":${link(page - 1)}`;
    return { url: url(page), body: `{"count":${count},${links},"results":[${results.get(page)}]}` };
  };
}
