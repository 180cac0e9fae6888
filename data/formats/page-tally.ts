import { formatCount } from "../formatting.ts";
import type { Problem } from "./problem.ts";

/** Compares the pages of a load with what they count. */
export function createPageTally() {
  let [least, most] = [Number.POSITIVE_INFINITY, -1];
  const records = new Map<string, number>();
  const files = new Set<string>();
  return {
    /** Must be called with each page. */
    onPage(file: string, { count }: { count?: unknown }): void {
      files.add(file);
      if (typeof count === "number") [least, most] = [Math.min(least, count), Math.max(most, count)];
    },
    /** Must be called with the number of records that were read from a file. */
    onRecords: (file: string, count: number) => void records.set(file, (records.get(file) ?? 0) + count),
    /** What is missing or contradictory, if the load has pages. */
    problems(): Problem[] {
      const [file] = files;
      if (file === undefined || most < least) return [];
      const held = [...files].reduce((sum, name) => sum + (records.get(name) ?? 0), 0);
      const changed = `the pages count ${least} to ${most} records, so the collection changed between them`;
      const other = `the pages hold ${formatCount(held, "record")}, but count ${most}`;
      const messages = [...(least < most ? [changed] : []), ...(held === most ? [] : [other])];
      return messages.map((message) => ({ file, line: 0, message }));
    },
  };
}

export type PageTally = ReturnType<typeof createPageTally>;
