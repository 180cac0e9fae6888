import { formatProblem, MAX_SHOWN_PROBLEMS, type Problem } from "../formats/problem.ts";
import { isObject } from "../formats/validation.ts";
import { checkPage } from "./page-check.ts";
import type { ReadPage } from "./pages.ts";
import { type Copied, checkRecord } from "./record-check.ts";
import { advance, type CrawlState } from "./state.ts";

/**
 * Makes lines of the records of a page from `state.next` downwards, as they came, and advances the state. What breaks
 * the specification is told and counted.
 * @param write takes the lines and gives their length in bytes; if it throws, the state stays as it was
 * @param warn takes a line for a person
 */
export function copyPage(
  page: ReadPage,
  state: CrawlState,
  copied: Copied,
  write: (text: string) => number,
  warn: (line: string) => void,
): void {
  const begin = page.last - state.next;
  const fresh = page.results.slice(begin, page.last - page.first + 1);
  const lines = fresh.filter(isObject).map((record) => `${JSON.stringify(record)}\n`);
  state.bytes += write(lines.join(""));
  const problems = checkPage(page);
  for (const [index, record] of fresh.entries()) {
    problems.push(...checkRecord(record, placeOf(page, begin + index), copied));
  }
  state.records += lines.length;
  state.timestamp = copied.timestamp;
  tell(problems, state, warn);
  advance(state, page);
}

function tell(problems: Problem[], state: CrawlState, warn: (line: string) => void): void {
  for (const problem of problems) {
    state.problems += 1;
    if (state.problems <= MAX_SHOWN_PROBLEMS) warn(formatProblem(problem));
  }
}

/** Where a record stands: on which page, with which id, or as which of the results. */
function placeOf({ url, results }: ReadPage, index: number): Problem {
  const { id } = Object(results[index]);
  const name = Number.isSafeInteger(id) ? `record ${id}` : `result ${index + 1}`;
  return { file: `${url} ${name}`, line: 0, message: "" };
}

/** Says how many problems there were, if any. */
export function summariseProblems({ problems }: CrawlState): string | undefined {
  if (problems === 0) return undefined;
  return `${countProblems(problems)}. The records were copied as they came.`;
}

/** How many problems there were, and which of them were told. */
export function countProblems(problems: number): string {
  const more = problems > MAX_SHOWN_PROBLEMS ? `, the first ${MAX_SHOWN_PROBLEMS} of which are told` : "";
  return `${problems} problem${problems === 1 ? "" : "s"}${more}`;
}
