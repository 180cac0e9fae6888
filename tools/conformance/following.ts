import { lastPage } from "../../src/records/page.ts";
import { recordId } from "./ids.ts";
import type { Answered } from "./pages.ts";
import type { Walk } from "./walk.ts";

/** Pages that cannot be read, in a row. */
const MOST_UNREADABLE = 3;
/** Pages that there should not be, by the count. */
const MOST_BEYOND = 20;
/** Pages of a collection that does not say how many there are. */
const MOST_WITHOUT_COUNT = 10_000;

/** What follows a page: another one, or something else, or nothing. */
interface Following {
  following?: Answered;
  /** What else there is. */
  after?: string;
}

/**
 * Reads the page after a page, if there is one: by the count, or by `next` if it leads to records that have not been
 * seen. Passes over pages that cannot be read.
 */
export async function findFollowing(walk: Walk, page: Answered): Promise<Following> {
  let isLinked = typeof page.fields?.next === "string";
  for (let number = page.number + 1; number <= page.number + MOST_UNREADABLE; number++) {
    const { count } = walk.state;
    const last = count === undefined ? 0 : lastPage(count);
    const most = count === undefined ? MOST_WITHOUT_COUNT : last + MOST_BEYOND;
    if (number > last && (!isLinked || number > most)) return {};
    const answered = await walk.pages.read(number, Math.min(last, walk.most ?? last));
    const following = judgeFollowing(walk, answered, number <= last, isLinked);
    if (following) return following;
    tellUnreadable(walk, answered);
    if (number === last) break;
    isLinked = true;
  }
  walk.walked.stopped = `The walk ended after ${page.url}: what follows could not be read.`;
  return {};
}

/** @returns undefined if it should be a page, but cannot be read */
function judgeFollowing(
  walk: Walk,
  answered: Answered,
  isExpected: boolean,
  isLinked: boolean,
): Following | undefined {
  const { status, results } = answered;
  if (!isReadable(answered)) {
    const isAbsent = !isLinked && status !== 200;
    return isExpected && !isAbsent ? undefined : { after: String(status) };
  }
  const isPage = isExpected ? isLinked || results.length > 0 : hasFresh(walk, answered);
  return isPage ? { following: answered } : { after: `${status}, no other records` };
}

/** Whether it is a page at all. */
export function isReadable({ status, fields }: Answered): boolean {
  return status === 200 && fields !== undefined;
}

function hasFresh({ state }: Walk, { results }: Answered): boolean {
  return results.some((record) => {
    const id = recordId(record);
    return id !== undefined && !state.ids.has(id);
  });
}

export function tellUnreadable({ observe, pages }: Walk, answered: Answered): void {
  observe("page", { ...answered, base: pages.base, fields: undefined, isLast: false });
}
