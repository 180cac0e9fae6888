import { ROAD_USERS } from "../records/record.ts";
import { type ChangedPage, defineOption, oneOf, parseInteger } from "./option.ts";

const DAY_MS = 86_400_000;
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** The faults that change the JSON of a page, and the view of a part of the collection. */
export const PAGE_OPTIONS = {
  rows: defineOption({
    ...oneOf("repeat", "drop", "swap"),
    description:
      "Replaces one record of a page by a copy of another one (repeat), leaves one out (drop), or swaps two that have different timestamps (swap)",
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
    value: "an integer other than 0, such as 1 or -5",
    description: "Adds this number to the count of a page",
    example: "count=+1",
    // In a query, a plus sign that is not percent-encoded is read as a space. So the sign can be missing.
    parse: (text: string) => (/^[+-]?[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined),
    changePage(page, number) {
      page.count += number;
      return true;
    },
  }),
  next: defineOption({
    ...oneOf("loop", "null", "skip"),
    description: "Makes next lead to the same page (loop), makes it null (null), or leaves out a page (skip)",
    example: "next=loop",
    changePage(page, fault) {
      const { next } = page;
      if (next === null) return false;
      // Changes only the page number, so that the rest of the link stays as it was written.
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
      "In one record of a page, makes a count a fraction (float) or null (null), leaves out a field (missing), adds one (extra), or writes the timestamp with an offset instead of Z (offset)",
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
    value: "1 to 1000 records per s, m or h, such as 15/m",
    description: "Serves a collection that grows by the clock, from a part of what is loaded to all of it",
    example: "grow=15/m",
    parse: parseGrowth,
    /**
     * The collection begins with half of the loaded records, or with all but a day of growth if that is more. It grows until everything
     * is shown, and then begins again. This depends on nothing but the time, so every instance shows the same.
     */
    createView: (interval, now) => (total) => {
      const steps = Math.min(Math.floor(total / 2), Math.floor(DAY_MS / interval));
      return steps === 0 ? 0 : steps - 1 - (Math.floor(now / interval) % steps);
    },
  }),
};

/** Swaps two neighbors with different timestamps. */
function swapRecords(records: ChangedPage["results"], random: number): boolean {
  const positions = records.flatMap(({ timestamp }, index) =>
    index > 0 && timestamp !== records[index - 1]?.timestamp ? [index] : [],
  );
  const position = positions[Math.floor(random * positions.length)];
  if (position === undefined) return false;
  records.splice(position - 1, 2, ...records.slice(position - 1, position + 1).reverse());
  return true;
}

/** @returns the milliseconds from one record to the next */
function parseGrowth(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d+)\/(\w)$/.exec(text) ?? [];
  const records = parseInteger(number, 1, 1_000);
  return records && UNIT_MS[unit] && UNIT_MS[unit] / records;
}
