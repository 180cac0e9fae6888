/**
 * Writes the status and the headers of a response as text.
 * @param status the number and the name, if it is known
 */
export function writeHead(status: string, headers: Iterable<[string, string]>): string {
  const lines = Array.from(headers, ([name, value]) => `${capitalise(name)}: ${value}\n`);
  return `HTTP ${status}\n${lines.join("")}\n`;
}

/** Writes the name of a header as usual. Names are case-insensitive (RFC 9110, 5.1). */
function capitalise(name: string): string {
  return name === "etag" ? "ETag" : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
