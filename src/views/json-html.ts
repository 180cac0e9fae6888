/** A line of formatted JSON. */
export interface Line {
  /** The names and indexes that lead to its value: `["results", "10", "bicycles"]`. */
  path: string[];
  html: string;
}

/** What is around a value. */
interface Position {
  path: string[];
  name: string;
  comma: string;
  /** Whether `next` and `previous` are links. */
  hasLinks: boolean;
}

/** Formats a body as HTML: JSON with a member on each line, or any other text as it is. */
export function formatBody(text: string): string {
  try {
    return formatJson(JSON.parse(text));
  } catch {
    return escapeHtml(text);
  }
}

/** Formats a value as HTML, with a member on each line. */
export function formatJson(value: unknown, { hasLinks = true } = {}): string {
  return joinLines(listLines(value, { hasLinks }));
}

export function joinLines(lines: Line[]): string {
  return lines.map(({ html }) => html).join("\n");
}

export function listLines(value: unknown, { hasLinks = true } = {}): Line[] {
  return listMember(value, { path: [], name: "", comma: "", hasLinks });
}

/** Lists the line of a member, or the lines of its own members between two brackets. A member without a value has only its name. */
function listMember(value: unknown, position: Position): Line[] {
  const { path, name, comma } = position;
  const indent = "  ".repeat(path.length);
  const label = name === "" ? "" : `<b>${escapeHtml(JSON.stringify(name))}:</b> `;
  const toLine = (html: string): Line => ({ path, html: indent + html });
  const members = value instanceof Object ? Object.entries(value) : [];
  if (members.length === 0)
    return [toLine(label + (value === undefined ? "" : formatValue(value, position)))];
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const lines = members.flatMap(([key, member], index) =>
    listMember(member, {
      ...position,
      path: [...path, key],
      name: isList ? "" : key,
      comma: index < members.length - 1 ? "," : "",
    }),
  );
  return [toLine(label + open), ...lines, toLine(close + comma)];
}

/** Formats a value without members. A timestamp is an element, which the style sheet keeps on one line. */
function formatValue(value: unknown, { name, comma, hasLinks }: Position): string {
  const html = escapeHtml(JSON.stringify(value));
  if (name === "timestamp") return `<span>${html}${comma}</span>`;
  const isLink = hasLinks && typeof value === "string" && (name === "next" || name === "previous");
  if (!isLink) return html + comma;
  return `"<a href="${escapeHtml(value).replaceAll('"', "&quot;")}">${html.slice(1, -1)}</a>"${comma}`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
