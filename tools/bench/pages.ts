import { listRecords, stage } from "../../data/staging.ts";
import { COLLECTION_PATH, lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { countInBlocks } from "../../src/store/blocks.ts";

/** A request for a page. */
export interface PageRequest {
  url: string;
  /** The only correct response. */
  body: string;
}

/** The place of a page in the collection. */
export type PageName = "first" | "middle" | "last";

/** The numbers of the pages that are measured. The first is the newest one in a block, because newer ones are in the state. */
export function namePages(count: number): Record<PageName, number> {
  const last = lastPage(count);
  const first = 1 + Math.ceil((count - countInBlocks(count)) / PAGE_SIZE);
  return { first: Math.min(first, last), middle: Math.ceil(last / 2), last };
}

/** The numbers of the newest 400 pages. */
export function walkedPages(count: number): number[] {
  return Array.from({ length: Math.min(400, lastPage(count)) }, (_, index) => index + 1);
}

/**
 * Makes requests for pages of a collection, with the responses that follow from the file with its records.
 * @param pages the numbers of the pages that can be requested
 */
export async function createRequests(file: string, pages: number[]) {
  const staged = await stage([file], { strict: true, warn: console.error });
  const { count } = staged;
  const results = new Map<number, string[]>(pages.map((page) => [page, []]));
  let newer = count;
  for (const record of listRecords(staged))
    results.get(1 + Math.floor(--newer / PAGE_SIZE))?.unshift(JSON.stringify(record));
  staged.close();
  return (page: number, origin: string): PageRequest => {
    const url = (number: number) => `${origin}${COLLECTION_PATH}?format=api&page=${number}`;
    const link = (number: number) => (number < 1 || number > lastPage(count) ? null : `"${url(number)}"`);
    const links = `"next":${link(page + 1)},"previous":${link(page - 1)}`;
    return { url: url(page), body: `{"count":${count},${links},"results":[${results.get(page)}]}` };
  };
}
