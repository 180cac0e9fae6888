import type { IdSet } from "../../tools/id-set.ts";
import { findDoubt } from "./doubt.ts";
import { type Pages, type ReadPage, readPage, takePage } from "./pages.ts";
import { Replaced } from "./replaced.ts";
import type { CrawlState } from "./state.ts";

export interface Walk {
  pages: Pages;
  /** To be advanced by each page before the next one is asked for. */
  state: CrawlState;
  /** Of all records that have been copied. */
  ids: IdSet;
  /** Waits a little before a page is read again. */
  pause(): Promise<void>;
}

/** What a page says is believed when it says it so many times. */
const MOST_READS = 3;

/** Pages between two looks at the first one: a thousandth more requests, for hours less with a replaced collection. */
const PAGES_PER_CONFIRMATION = 1_000;

/**
 * Gives pages such that the positions from `state.next` down to 1 come in order: each page holds `state.next`, and
 * counts from there. Looks again at what has been copied on going on, after growth that left no overlap, now and
 * then, and at the end.
 * @throws Replaced if a position holds another record than before
 */
export async function* walk({ pages, state, ids, pause }: Walk): AsyncGenerator<ReadPage> {
  const settle = async (page: ReadPage, position: number): Promise<ReadPage> => {
    for (let reads = 1; ; reads++) {
      const doubt = findDoubt(page, state, ids);
      if (!doubt || (reads === MOST_READS && !doubt.grave)) return page;
      if (reads === MOST_READS) throw new Replaced(doubt.message);
      if (doubt.grave) await pause();
      page = await readPage(pages, position);
    }
  };
  const confirm = async (position: number) => settle(await readPage(pages, position), position);

  if (state.next < state.first) await confirm(state.next + 1);
  let count: number | undefined;
  for (let read = 1; state.next >= 1; read++) {
    const page = await settle(await takePage(pages, state.next), state.next);
    const hasGrown = count !== undefined && page.count !== count;
    if (hasGrown && page.last === state.next) await confirm(state.next + 1);
    count = page.count;
    yield page;
    if (read % PAGES_PER_CONFIRMATION === 0) await confirm(state.first);
  }
  // A single page is of one state anyway.
  if (state.first <= state.size) return;
  await confirm(state.first);
  if (pages.latest !== count) await confirm(state.next + 1);
}
