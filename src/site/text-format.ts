/** A whole number with thousands separators: `40,614`. `Intl.NumberFormat` would take 10 ms to load in a new process. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** The units of large numbers: million, billion, trillion. */
const UNITS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
] as const;

/** A number for a narrow place: from a million on, with three digits and a unit, such as `1.23M`. */
export function formatCompact(value: number): string {
  const [size, unit] = UNITS.find(([size]) => value >= size) ?? [];
  return size ? `${Number((value / size).toPrecision(3))}${unit}` : formatNumber(Math.round(value));
}

/** A mean: below 1 with two decimals, below 100 with one. */
export function formatMean(mean: number): string {
  if (mean >= 100) return formatCompact(mean);
  return mean.toFixed(mean < 1 ? 2 : 1);
}

/** A number of things: `1 page`, `2,708 pages`. */
export function formatQuantity(count: number, thing: string): string {
  return `${formatNumber(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** A share: `86.0 %`, which does not break across lines. It is `100 %` or `0 %` only if that is exact. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || part === whole) return part === 0 ? "0\u00a0%" : "100\u00a0%";
  return `${Math.min(99.9, Math.max(0.1, (100 * part) / whole)).toFixed(1)}\u00a0%`;
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
