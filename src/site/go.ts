import { type Context, Hono } from "hono";
import type { Env } from "../env.ts";
import { HttpError, methodNotAllowed } from "../http/errors.ts";
import { lastValue, readQuery } from "../http/request.ts";
import { COLLECTION_PATH, lastPage, PAGE_SIZE, readPageRequest } from "../records/page.ts";
import type { Day } from "../records/statistics.ts";
import { cachedStore } from "../store/open.ts";
import { GO_PATH } from "./about.ts";

interface GoEnv {
  Bindings: Env;
  /** What the mock may set: how many of the loaded records the collection shows. */
  Variables: { shownCount?: (total: number) => number };
}

/** Jumps to a date: redirects to the page with its newest records. This is a part of the site, not of the API. */
export function createGo(): Hono<GoEnv> {
  const go = new Hono<GoEnv>();

  go.get(GO_PATH, async (c) => {
    const query = readQuery(c.req.url);
    const date = lastValue(query, "date") ?? "";
    query.delete("date");
    query.delete("page");
    if (date === "") return c.redirect(`${COLLECTION_PATH}?${query}`);
    if (!isDate(date)) throw new HttpError(400, { detail: "date must be a day such as 2025-10-29." });
    const { state, statistics } = await cachedStore(c.env).statistics((work) =>
      c.executionCtx.waitUntil(work),
    );
    const { page, day } = findDate(statistics.days, date, chooseCount(c, query, state.count));
    query.set("page", String(page));
    return c.redirect(`${COLLECTION_PATH}?${query}#${day === date ? day : `nearest-${day}`}`);
  });

  go.all(GO_PATH, (c) => {
    throw methodNotAllowed(c.req.method, "GET, HEAD");
  });

  return go;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;
}

/** The number of records in the state that the page will show. Whether that state exists, the page decides. */
function chooseCount(c: Context<GoEnv>, query: URLSearchParams, total: number): number {
  const request = readPageRequest(query);
  if (typeof request === "object" && typeof request.asOf === "object") return request.asOf.count;
  return c.get("shownCount")?.(total) ?? total;
}

/**
 * Finds the page with the newest records of a date.
 * @param days of the collection, oldest first
 * @param count records in the collection, or in an earlier state of it, whose records have the same positions
 * @returns the page, and the day of its records: the date, or the nearest earlier day that has records, or the oldest day
 */
export function findDate(days: Day[], date: string, count: number): { page: number; day: string } {
  let position = 0;
  let day = days[0]?.[0] ?? date;
  for (const [name, ok, failing, unknown] of days) {
    if (name > date || position >= count) break;
    position += ok + failing + unknown;
    day = name;
  }
  const newer = Math.max(0, count - position);
  return { page: Math.min(lastPage(count), Math.floor(newer / PAGE_SIZE) + 1), day };
}
