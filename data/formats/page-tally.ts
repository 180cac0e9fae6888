import { formatCount } from "../formatting.ts";
import type { Problem } from "./problem.ts";

/** Compares the pages of a load with what they say about the collection. */
export interface PageTally {
  /** Must be called with the envelope of each page. */
  onPage(file: string, envelope: object): void;
  /** Must be called with the number of records that were read from a file. */
  onRecords(file: string, count: number): void;
  /** What is missing or contradictory, if the load has pages. */
  problems(): Problem[];
}

export function createPageTally(): PageTally {
  const counts = new Set<number>();
  const records = new Map<string, number>();
  const files = new Set<string>();
  const wrongLinks: Problem[] = [];
  return {
    onPage(file, envelope) {
      files.add(file);
      const { count, next, previous } = {
        count: undefined,
        next: undefined,
        previous: undefined,
        ...envelope,
      };
      if (typeof count === "number") counts.add(count);
      const [older, newer] = [pageOf(next), pageOf(previous)];
      if (older === undefined || newer === undefined || older === newer + 2) return;
      const message = `has a page whose links go to pages ${older} and ${newer}, which are not neighbours of one page`;
      if (wrongLinks.length === 0) wrongLinks.push({ file, line: 0, message });
    },
    onRecords: (file, count) => void records.set(file, (records.get(file) ?? 0) + count),
    problems() {
      const [file] = files;
      if (file === undefined || counts.size === 0) return [];
      const held = [...files].reduce((sum, name) => sum + (records.get(name) ?? 0), 0);
      const messages = [describeCounts(counts), describeNumber(held, Math.max(...counts))];
      const found = messages.filter((message) => message !== undefined);
      return [...found.map((message) => ({ file, line: 0, message })), ...wrongLinks];
    },
  };
}

function describeCounts(counts: ReadonlySet<number>): string | undefined {
  if (counts.size === 1) return undefined;
  const range = `${Math.min(...counts)} to ${Math.max(...counts)} records`;
  return `the pages count ${range}, so the collection changed between them`;
}

function describeNumber(held: number, counted: number): string | undefined {
  if (held < counted)
    return `the pages hold ${held} of the ${formatCount(counted, "record")} that they count`;
  if (held > counted) return `the pages hold ${formatCount(held, "record")}, but count ${counted}`;
  return undefined;
}

/** The page number of a link; undefined if it is not a link to a page. */
function pageOf(link: unknown): number | undefined {
  if (typeof link !== "string" || !URL.canParse(link)) return undefined;
  const number = Number(new URL(link).searchParams.get("page") ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
