import type { BodyChange } from "../faults/page-faults.ts";

const MEMBER_NAME = /^( *)("[^"]*"): /gm;
const TIMESTAMP = /"(\d{4}-\d\d-\d\dT[\d:]+Z)"/g;
/** The value of `next` or `previous`, after `MEMBER_NAME` was marked. */
const NEIGHBOR_URL = /^( {2}<b>"(?:next|previous)"<\/b>: )"([^"\\]*)"/gm;
/** The start of a record, or a member, after `MEMBER_NAME` was marked. */
const RECORD_OR_MEMBER = /^( +)(?:\{|<b>"(.*)"<\/b>: .*)$/;

/** Formats a body as HTML: JSON with links, and with a note where a fault has changed it, or any other text as it is. */
export function formatBody(text: string, changes: BodyChange[]): string {
  try {
    return markChanges(formatJson(JSON.parse(text)), changes);
  } catch {
    const change = changes.find(({ option }) => option === "body");
    return escapeHtml(text) + (change === undefined ? "" : ` <small id="change">← ${change.note}</small>`);
  }
}

/** Formats JSON as HTML, with a member on each line. By default, `next` and `previous` are links. */
export function formatJson(value: unknown, { hasLinks = true } = {}): string {
  const html = escapeHtml(JSON.stringify(value, null, 2))
    .replaceAll(MEMBER_NAME, "$1<b>$2</b>: ")
    // The style sheet keeps a timestamp on one line.
    .replaceAll(TIMESTAMP, '"<time>$1</time>"');
  return hasLinks ? html.replaceAll(NEIGHBOR_URL, '$1"<a href="$2">$2</a>"') : html;
}

/** Marks the lines of a page that have changed. The first mark is the target of a link. */
function markChanges(html: string, changes: BodyChange[]): string {
  let index = -1;
  const lines = html.split("\n").map((line) => {
    const [, indent, member] = RECORD_OR_MEMBER.exec(line) ?? [];
    if (indent === undefined) return line;
    if (member === undefined) index++;
    const record = indent === "  " ? undefined : index;
    const found = changes.filter((change) => change.record === record && change.member === member);
    const notes = found.map(({ note }) => ` <small>← ${escapeHtml(note)}</small>`).join("");
    return notes === "" ? line : `${indent}<mark>${line.trimStart()}</mark>${notes}`;
  });
  return lines.join("\n").replace("<mark>", '<mark id="change">');
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
