import type { ChangedPage, PageChange } from "../faults/page-faults.ts";
import { describeChange, getId, getPath, isMissingRecord, nameChange } from "./changes.ts";
import { escapeHtml, joinLines, type Line, listLines } from "./json-html.ts";

/**
 * Formats a page as blocks of HTML. A change is a mark, a struck line or, for a missing record, a note, with the id of the change. Other
 * records are folded.
 */
export function formatPage(page: ChangedPage, changes: PageChange[]): string {
  const open = changes.filter((change) => !isMissingRecord(change)).map(({ record }) => record);
  const blocks: { isFolded: boolean; lines: Line[] }[] = [];
  for (const line of markChanges(listLines(page), changes)) {
    const record = findRecord(line);
    const isFolded = record !== undefined && !open.includes(record);
    const block = blocks.at(-1);
    if (block?.isFolded === isFolded) block.lines.push(line);
    else blocks.push({ isFolded, lines: [line] });
  }
  return blocks.map(({ isFolded, lines }) => (isFolded ? fold(lines) : wrapBody(joinLines(lines)))).join("");
}

/** Finds the number of the record that a line belongs to, from 1. */
function findRecord({ path: [name, index] }: Line): number | undefined {
  return name === "results" && index !== undefined ? Number(index) + 1 : undefined;
}

function fold(lines: Line[]): string {
  const [first, last] = [lines.at(0), lines.at(-1)].map((line) => line && findRecord(line));
  const name = first === last ? `Record ${first}` : `Records ${first} to ${last}`;
  return `<details><summary>${name}</summary>${wrapBody(joinLines(lines))}</details>`;
}

/** Formats a body, or a part of it, as a block of HTML. */
export function wrapBody(html: string): string {
  return `<pre><code class="json">${html}</code></pre>`;
}

/** Formats a note about something that is not in a body, and so has no mark. */
export function formatNote(text: string, id: string): string {
  return ` <small id="${id}">← ${escapeHtml(text)}</small>`;
}

function markChanges(lines: Line[], changes: PageChange[]): Line[] {
  const marked = lines.map((line, index) => {
    // The change of a field comes after the one of its record.
    const change = changes.findLast((one) => isPartOf(line, one));
    if (change === undefined) return line;
    const isFirst = index === lines.findIndex((one) => isPartOf(one, change));
    return { ...line, html: isFirst ? markFirst(line.html, change) : `<mark>${line.html}</mark>` };
  });
  const missing = changes.find(isMissingRecord);
  if (missing === undefined) return marked;
  // Before the record that moved up, at the end of the list, or after an empty list, which is one line.
  const next = lines.findIndex((line) => findRecord(line) === missing.record);
  const end = missing.record === 1 ? -1 : -2;
  const note = { path: [], html: `   ${formatNote(nameChange(missing), getId(missing))}` };
  return marked.toSpliced(next === -1 ? end : next, 0, note);
}

function isPartOf(line: Line, change: PageChange): boolean {
  return !isMissingRecord(change) && getPath(change).every((name, index) => line.path[index] === name);
}

/** Marks the first line of a change, and notes how it has changed. A removed field is struck. */
function markFirst(html: string, change: PageChange): string {
  const id = getId(change);
  const note = `<small>← ${escapeHtml(describeChange(change))}</small>`;
  if (change.to !== undefined) return `<mark id="${id}">${html}</mark> ${note}`;
  return `<del id="${id}">${html}${escapeHtml(JSON.stringify(change.from))}</del> ${note}`;
}
