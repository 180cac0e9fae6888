import type { FC } from "hono/jsx";

/** A name with its colon, another string, or another value. */
const TOKEN = /("(?:[^"\\]|\\.)*"): |("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null)/g;

/** The members of a page envelope that are links. */
const LINKS = ["next", "previous"];

/** JSON in colours, indented. The links of a page envelope work. */
export const JsonText: FC<{ value: object }> = ({ value }) => (
  <code class="json">
    {JSON.stringify(value, null, 2)
      .split("\n")
      .map((line) => (
        <>
          {colour(line)}
          {"\n"}
        </>
      ))}
  </code>
);

/** @param line one line, which has at most one name and one value */
function colour(line: string): unknown[] {
  const parts: unknown[] = [];
  const isMember = line.startsWith('  "');
  let end = 0;
  let name = "";
  for (const { 0: text, 1: key, 2: string, 3: other, index } of line.matchAll(TOKEN)) {
    parts.push(line.slice(end, index));
    end = index + text.length;
    if (key !== undefined) {
      name = JSON.parse(key);
      parts.push(<b>{key}</b>, ": ");
    } else if (string !== undefined && isMember && LINKS.includes(name)) {
      parts.push(<a href={JSON.parse(string)}>{string}</a>);
    } else parts.push(string === undefined ? <i>{other}</i> : <span>{string}</span>);
  }
  return [...parts, line.slice(end)];
}
