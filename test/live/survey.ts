import { beforeAll, expect, type TestContext } from "vitest";
import { lastPage } from "../../src/records/page.ts";
import { Page } from "../../src/records/record.ts";
import type { Target } from "./target.ts";

export const PATH = "/api/tf1/records/";

/** Gives the target once it runs. */
export type OpenTarget = () => Target;

/** What is known of the collection: how it was when the tests began. It may grow meanwhile. */
export interface Survey {
  count(): number;
  /** Pages of that state. */
  pages(): number;
  /** Reads a page, of whichever state the query names. */
  read(query: string): Promise<Page>;
  /** The query of a page of that state, the same however the collection grows. */
  pin(page: number): string;
  /** Skips a test that a smaller collection cannot show, and says so. */
  need(context: TestContext, pages: number): void;
}

/**
 * Finds out, before the tests of this block, how large the collection is. If it cannot be read, those tests fail that need
 * to know; the others run.
 */
export function surveyBefore(open: OpenTarget): Survey {
  let known: number | undefined;
  const read = async (query: string) => {
    const response = await open().fetch(PATH + query);
    expect(response.status).toBe(200);
    return Page.parse(await response.json());
  };
  beforeAll(async () => {
    known = await read("").then(
      ({ count }) => count,
      () => undefined,
    );
  });
  const count = () => {
    if (known === undefined) throw new Error("the collection could not be read when the tests began");
    return known;
  };
  const pages = () => lastPage(count());
  return {
    count,
    pages,
    read,
    pin: (page) => `?as_of=${count()}&page=${page}`,
    need(context, least) {
      const isSmaller = least === 1 ? count() === 0 : pages() < least;
      const pagesNeeded = least === 1 ? "a record" : `${least} pages`;
      context.skip(isSmaller, `needs ${pagesNeeded}, and the collection has ${count()} records`);
    },
  };
}
