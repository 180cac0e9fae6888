import { formatCount } from "../formatting.ts";
import type { Problem } from "./problem.ts";

/** Compares the pages of a load with what they say about the collection. */
export function createPageTally() {
  let [least, most] = [Number.POSITIVE_INFINITY, -1];
  const records = new Map<string, number>();
  const files = new Set<string>();
  let wrongLinks: Problem | undefined;
  return {
    /** Must be called with the envelope of each page. */
    onPage(file: string, envelope: object): void {
      files.add(file);
      const { count, next, previous } = Object(envelope);
      if (typeof count === "number") [least, most] = [Math.min(least, count), Math.max(most, count)];
      const [older, newer] = [pageOf(next), pageOf(previous)];
      if (older === undefined || newer === undefined || older === newer + 2) return;
      const message = `has a page whose links go to pages ${older} and ${newer}, which are not neighbours of one page`;
      wrongLinks ??= { file, line: 0, message };
    },
    /** Must be called with the number of records that were read from a file. */
    onRecords: (file: string, count: number) => void records.set(file, (records.get(file) ?? 0) + count),
    /** What is missing or contradictory, if the load has pages. */
    problems(): Problem[] {
      const [file] = files;
      if (file === undefined || most < least) return [];
      const held = [...files].reduce((sum, name) => sum + (records.get(name) ?? 0), 0);
      const found = describeCounts({ least, most, held }).map(
        (message): Problem => ({ file, line: 0, message }),
      );
      return wrongLinks ? [...found, wrongLinks] : found;
    },
  };
}

export type PageTally = ReturnType<typeof createPageTally>;

/** @param held records in the pages, which count from `least` to `most` */
function describeCounts({ least, most, held }: { least: number; most: number; held: number }): string[] {
  const changed = `the pages count ${least} to ${most} records, so the collection changed between them`;
  const incomplete = `the pages hold ${held} of the ${formatCount(most, "record")} that they count`;
  const surplus = `the pages hold ${formatCount(held, "record")}, but count ${most}`;
  return [
    ...(least < most ? [changed] : []),
    ...(held < most ? [incomplete] : []),
    ...(held > most ? [surplus] : []),
  ];
}

/** The page number of a link; undefined if it is not a link to a page. */
function pageOf(link: unknown): number | undefined {
  if (typeof link !== "string" || !URL.canParse(link)) return undefined;
  const number = Number(new URL(link).searchParams.get("page") ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
