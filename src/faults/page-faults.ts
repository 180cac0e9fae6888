import { ROAD_USERS } from "../records/record.ts";
import { defineOption, type MutablePage, oneOf, parseInteger } from "./option.ts";

const DAY_MS = 86_400_000;
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** The faults that change the JSON of a page, and `grow`, which hides the newest records. */
export const PAGE_OPTIONS = {
  rows: defineOption({
    ...oneOf("repeat", "drop", "swap"),
    description:
      "Replaces a record of a page with a copy of another (repeat), omits a record (drop), or swaps two records with different timestamps (swap)",
    example: "rows=repeat",
    changePage({ results }, fault, random) {
      const index = Math.floor(random * results.length);
      if (results.length < 2) return false;
      const changes: Record<typeof fault, () => boolean> = {
        repeat: () => results.splice(index, 1, { ...results.at(index - 1) }).length > 0,
        drop: () => results.splice(index, 1).length > 0,
        swap: () => swapRecords(results, random),
      };
      return changes[fault]();
    },
  }),
  count: defineOption({
    expected: "an integer except 0, such as 1 or -5",
    description: "Adds this number to the count of a page",
    example: "count=+1",
    // The plus sign is optional, because an unencoded plus sign in a query means a space.
    parse: (text: string) => (/^[+-]?[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined),
    changePage(page, number) {
      page.count += number;
      return true;
    },
  }),
  next: defineOption({
    ...oneOf("loop", "null", "skip"),
    description: "Changes next to the same page (loop), to null (null), or to the page after the next (skip)",
    example: "next=loop",
    changePage(page, fault) {
      const { next } = page;
      if (next === null) return false;
      // Replace only the page number, so that the encoding of the other parameters does not change.
      const move = (step: number) =>
        next.replace(/([?&]page=)(\d+)/, (_, name, page) => `${name}${Number(page) + step}`);
      const changes: Record<typeof fault, string | null> = { loop: move(-1), null: null, skip: move(1) };
      page.next = changes[fault];
      return true;
    },
  }),
  record: defineOption({
    ...oneOf("float", "null", "missing", "extra", "offset"),
    description:
      "In one record of a page, changes a count to a fraction (float) or null (null), omits a count (missing), adds a field (extra), or writes the timestamp with an offset instead of Z (offset)",
    example: "record=missing",
    changePage({ results }, fault, random) {
      const choice = Math.floor(random * results.length * ROAD_USERS.length);
      const field = ROAD_USERS[choice % ROAD_USERS.length] ?? "cars";
      const record = results[Math.floor(choice / ROAD_USERS.length)];
      if (record === undefined) return false;
      const changes: Record<typeof fault, typeof record> = {
        float: { [field]: Number(record[field]) + 0.5 },
        null: { [field]: null },
        missing: { [field]: undefined },
        extra: { vans: 0 },
        offset: { timestamp: String(record.timestamp).replace("Z", "+00:00") },
      };
      Object.assign(record, changes[fault]);
      return true;
    },
  }),
  grow: defineOption({
    expected: "1 to 1000 records per s, m or h, such as 15/m",
    description: "Serves a collection that grows by the clock, from part of the loaded records to all",
    example: "grow=15/m",
    parse: parseGrowth,
    /**
     * At the start, about half of the records are hidden, but at most one day of growth. When all records are visible, the growth
     * starts over. The number of hidden records depends only on the time, so that all instances hide the same records.
     */
    getHiddenCount(interval, now, total) {
      const steps = Math.min(Math.floor(total / 2), Math.floor(DAY_MS / interval));
      return steps === 0 ? 0 : steps - 1 - (Math.floor(now / interval) % steps);
    },
  }),
};

/** Swaps two neighbors with different timestamps. */
function swapRecords(records: MutablePage["results"], random: number): boolean {
  const positions = records.flatMap(({ timestamp }, index) =>
    index > 0 && timestamp !== records[index - 1]?.timestamp ? [index] : [],
  );
  const position = positions[Math.floor(random * positions.length)];
  if (position === undefined) return false;
  records.splice(position - 1, 2, ...records.slice(position - 1, position + 1).reverse());
  return true;
}

/** Parses a growth such as `15/m`. Returns the milliseconds from one record to the next. */
function parseGrowth(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d+)\/(\w)$/.exec(text) ?? [];
  const records = parseInteger(number, 1, 1_000);
  return records && UNIT_MS[unit] && UNIT_MS[unit] / records;
}
