import { Hono } from "hono";
import type { AppEnv } from "../bindings.ts";
import { getFaultOptions } from "../faults/fault-options.ts";
import type { Faults } from "../faults/faults.ts";
import { HttpError, rejectOtherMethods } from "../http/errors.ts";
import { NO_STORE } from "../http/headers.ts";
import { createPageUrlBuilder } from "../http/links.ts";
import { getLastValue } from "../http/request.ts";
import { PAGE_SIZE } from "../records/page.ts";
import { parseUtcTime } from "../records/utc-time.ts";
import type { Day, PartialDay } from "../store/stored-statistics.ts";
import { DATE_JUMP_PATH } from "../views/site.ts";

/** Creates the route of the form for a date: it redirects to the first row of that day in the HTML view, which the fragment names. */
export function createDateJump({ getCollection }: Faults): Hono<AppEnv> {
  const jump = new Hono<AppEnv>();

  jump.get(DATE_JUMP_PATH, async (c) => {
    // The same jump leads to another page once the collection has changed.
    c.header("Cache-Control", NO_STORE);
    const query = new URL(c.req.url).searchParams;
    const faultOptions = getFaultOptions(c, query);
    const date = getLastValue(query, "date") ?? "";
    query.delete("date");
    const toPath = createPageUrlBuilder("", query);
    if (date === "") return c.redirect(toPath(1));
    if (parseUtcTime(`${date}T00:00:00Z`) === undefined)
      throw new HttpError(400, { detail: "date must be a day such as 2025-10-29." });
    const { snapshot, days } = await getCollection(c, faultOptions?.rules ?? []).getStatistics();
    const found = findDay(days, date, snapshot.count);
    if ("page" in found) return c.redirect(`${toPath(found.page)}#${date}`);
    const { nearest } = found;
    const known = nearest.length === 0 ? "" : `; the nearest are from ${nearest.join(" and ")}`;
    throw new HttpError(404, { detail: `The collection has no records from ${date}${known}.`, nearest });
  });

  jump.all(DATE_JUMP_PATH, rejectOtherMethods("GET, HEAD"));

  return jump;
}

/**
 * Finds the page with the newest records of a day.
 * @param days The days of the collection, oldest first
 * @param count The number of their records
 * @returns The page or, if the day has no records, the days with records before and after it
 */
function findDay(
  days: (Day | PartialDay)[],
  date: string,
  count: number,
): { page: number } | { nearest: string[] } {
  let earlier: string[] = [];
  /** How many records there are up to the end of the day. */
  let recordsUntil = 0;
  for (const [day, records] of days) {
    // Days compare as text.
    if (day > date) return { nearest: [...earlier, day] };
    recordsUntil += records;
    if (day === date) return { page: Math.floor((count - recordsUntil) / PAGE_SIZE) + 1 };
    earlier = [day];
  }
  return { nearest: earlier };
}
