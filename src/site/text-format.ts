/** A whole number with thousands separators: `40,614`. `Intl.NumberFormat` would take 10 ms to load. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A number of things: `1 page`, `2,708 pages`. */
export function formatQuantity(count: number, thing: string): string {
  return `${formatNumber(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** A share: `86.0 %`. It is `100 %` or `0 %` only if that is exact. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || part === whole) return part === 0 ? "0 %" : "100 %";
  return `${Math.min(99.9, Math.max(0.1, (100 * part) / whole)).toFixed(1)} %`;
}

/**
 * The status and the headers of a response.
 * @param status the number and the name, if it is known
 */
export function formatHead(status: string, headers: Iterable<[string, string]>): string {
  const lines = Array.from(headers, ([name, value]) => `${capitalise(name)}: ${value}\n`);
  return `HTTP ${status}\n${lines.join("")}\n`;
}

/** Writes the name of a header as usual. Names are case-insensitive (RFC 9110, 5.1). */
function capitalise(name: string): string {
  return name === "etag" ? "ETag" : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
