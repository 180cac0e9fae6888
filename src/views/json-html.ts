import type { PageChange } from "../faults/page-faults.ts";
import { BODY_CHANGES, describeChange, getPlace, isMissingRecord, nameChange } from "./changes.ts";

interface JsonOptions {
  /** What faults have changed in the value. A field that they removed is undefined in it. */
  changes?: PageChange[];
  /** The part of the JSON that arrived before the connection closed; by default all of it. */
  received?: string | undefined;
  /** Whether `next` and `previous` are links. By default they are. */
  hasLinks?: boolean;
}

/** A line as compact JSON, which is empty if a fault has removed it, and as HTML, with the change whose place it is. */
type Line = [json: string, html: string, change?: PageChange | undefined];

/** Where a value is: its place, such as `results.10.bicycles`, what is around it, and the tag of a change that contains it. */
type Position = Record<"place" | "indent" | "name" | "comma" | "tag", string>;

/** Formats a body as HTML: JSON with a member on each line, or any other text as it is. */
export function formatBody(text: string): string {
  try {
    return formatJson(JSON.parse(text));
  } catch {
    return escapeHtml(text);
  }
}

/**
 * Formats JSON as HTML, with a member on each line. A change is a mark, a struck line or, if it has not arrived, a note. Its id is the place
 * of the change.
 */
export function formatJson(value: unknown, options: JsonOptions = {}): string {
  const { received } = options;
  const lines = listLines(value, options, { place: "", indent: "", name: "", comma: "", tag: "" });
  if (received === undefined) return lines.map(([, html]) => html).join("\n");
  const arrived: string[] = [];
  const missing: string[] = [];
  let rest = received;
  for (const [json, html, change] of lines) {
    const hasArrived = rest !== "" && rest.startsWith(json);
    if (rest !== "") arrived.push(hasArrived ? html : escapeHtml(rest));
    if (change && !hasArrived)
      missing.push(formatNote(`not received: ${nameChange(change)}`, getPlace(change)));
    rest = hasArrived ? rest.slice(json.length) : "";
  }
  return [arrived.join("\n") + formatNote(BODY_CHANGES.cut, "body"), ...missing].join("\n");
}

/** Lists the lines of a value: one, or those of its members between two brackets. */
function listLines(value: unknown, options: JsonOptions, position: Position): Line[] {
  const { place, indent, name, comma } = position;
  const change = options.changes?.find((one) => getPlace(one) === place);
  const shown = value === undefined ? change?.from : value;
  const changeTag = change?.to === undefined ? "del" : "mark";
  const tag = change === undefined ? position.tag : changeTag;
  const toLine = (json: string, html: string, ofLine?: PageChange): Line => [
    tag === "del" ? "" : json,
    indent + mark(html, tag, ofLine),
    ofLine,
  ];
  const label = name === "" ? "" : `<b>${escapeHtml(name)}</b> `;
  const members = shown instanceof Object ? Object.entries(shown) : [];
  if (members.length === 0) {
    const html = label + formatValue(shown, place, options) + comma;
    return [toLine(name + JSON.stringify(shown) + comma, html, change)];
  }
  const isList = Array.isArray(shown);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const last = members.findLastIndex(([, member]) => member !== undefined);
  const lines = members.map(([key, member], index) =>
    listLines(member, options, {
      place: place === "" ? key : `${place}.${key}`,
      indent: `${indent}  `,
      name: isList ? "" : `${JSON.stringify(key)}:`,
      comma: index < last ? "," : "",
      tag,
    }),
  );
  const missing = place === "results" ? options.changes?.find(isMissingRecord) : undefined;
  if (missing) lines.splice(Number(missing.record) - 1, 0, [formatMissing(missing, indent)]);
  return [toLine(name + open, label + open, change), ...lines.flat(), toLine(close + comma, close + comma)];
}

/** Formats a line about a record that is not in a body. */
function formatMissing(change: PageChange, indent: string): Line {
  return ["", `${indent} ${formatNote(nameChange(change), getPlace(change))}`, change];
}

/** Marks a line of a change. The first line has the id and a note. */
function mark(html: string, tag: string, change: PageChange | undefined): string {
  if (tag === "") return html;
  if (change === undefined) return `<${tag}>${html}</${tag}>`;
  return `<${tag} id="${getPlace(change)}">${html}</${tag}> <small>← ${escapeHtml(describeChange(change))}</small>`;
}

/** Formats a value without members. A timestamp is an element, which the style sheet keeps on one line. */
function formatValue(value: unknown, place: string, { hasLinks = true }: JsonOptions): string {
  const html = escapeHtml(JSON.stringify(value));
  if (typeof value !== "string") return html;
  const text = html.slice(1, -1);
  if (place.endsWith(".timestamp")) return `"<time>${text}</time>"`;
  const isLink = hasLinks && (place === "next" || place === "previous");
  return isLink ? `"<a href="${escapeHtml(value).replaceAll('"', "&quot;")}">${text}</a>"` : html;
}

/** Formats a note about something that is not in a body, and so has no mark. */
export function formatNote(text: string, id: string): string {
  return ` <small id="${id}">← ${escapeHtml(text)}</small>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
