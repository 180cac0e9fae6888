import { Hono } from "hono";
import type { AppEnv } from "../bindings.ts";
import { getFaultOptions } from "../faults/fault-options.ts";
import type { Faults } from "../faults/faults.ts";
import { HttpError } from "../http/errors.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER } from "../http/links.ts";
import { rejectMethod } from "../http/methods.ts";
import { getLastValue, keepLastValues } from "../http/request.ts";
import { getLastPage, PAGE_SIZE } from "../records/page.ts";
import { isDate } from "../records/utc-time.ts";
import { getCachedStore } from "../store/create-store.ts";
import type { Day } from "../store/stored-statistics.ts";
import { DATE_JUMP_PATH } from "../views/site.ts";

/** Creates the route that redirects to the page with the newest records of a date. The HTML view has a form for it. */
export function createDateJump({ getCountHidden }: Faults): Hono<AppEnv> {
  const jump = new Hono<AppEnv>();

  jump.get(DATE_JUMP_PATH, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const faultOptions = getFaultOptions(c, query);
    const date = getLastValue(query, "date") ?? "";
    keepLastValues(query);
    for (const name of ["date", "page", JUMP_DATE_PARAMETER]) query.delete(name);
    if (date === "") return c.redirect(`${COLLECTION_PATH}?${query}`);
    if (!isDate(date)) throw new HttpError(400, { detail: "date must be a day such as 2025-10-29." });
    const { snapshot, statistics } = await getCachedStore(c.env).getStatistics();
    const countHidden = getCountHidden(faultOptions?.rules ?? []);
    const visible = snapshot.count - (countHidden?.(snapshot.count) ?? 0);
    const { page, day } = findPageByDate(statistics.days, date, visible);
    query.set("page", String(page));
    if (c.get("prefersHtml")) query.set(JUMP_DATE_PARAMETER, date);
    return c.redirect(`${COLLECTION_PATH}?${query}#${day}`);
  });

  jump.all(DATE_JUMP_PATH, rejectMethod);

  return jump;
}

/**
 * Finds the page with the newest records of a date, or of the nearest day that has records.
 * @param days The days of the collection, oldest first
 * @param count The number of visible records. If all days together have more records, the newest records are hidden
 * @returns The page, and the day of its records. The older of two equally near days wins
 */
function findPageByDate(days: Day[], date: string, count: number): { page: number; day: string } {
  let nearest = { day: date, distance: Number.POSITIVE_INFINITY, recordsUntil: 0 };
  /** How many records there are until the end of the day. */
  let recordsUntil = 0;
  for (const [day, records] of days) {
    const isHidden = recordsUntil >= count;
    const distance = Math.abs(Date.parse(day) - Date.parse(date));
    if (isHidden || distance >= nearest.distance) break;
    recordsUntil += records;
    nearest = { day, distance, recordsUntil };
  }
  const newer = Math.max(0, count - nearest.recordsUntil);
  return { page: Math.min(getLastPage(count), Math.floor(newer / PAGE_SIZE) + 1), day: nearest.day };
}
