/** Formats an integer below 1e21 with thousands separators: `40,614`. The first `Intl.NumberFormat` takes 19 ms in Node. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3}){1,6}$)/g, ",");
}

/** The units of large numbers: million, billion, trillion. */
const UNITS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
] as const;

/** Formats a number for a narrow column: three digits and a unit if the number is a million or more, such as `1.23M`. */
export function formatCompact(value: number): string {
  const found = UNITS.find(([size]) => value >= size);
  if (found === undefined) return formatNumber(Math.round(value));
  const [size, unit] = found;
  return `${Number((value / size).toPrecision(3))}${unit}`;
}

/** Formats a mean with two decimals below 1, and with one decimal below 100. */
export function formatMean(mean: number): string {
  if (mean >= 100) return formatCompact(mean);
  return mean.toFixed(mean < 1 ? 2 : 1);
}

/** Formats a quantity: `1 page`, `2,708 pages`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a share with a non-breaking space: `86.0 %`. Only an exact 0 or 1 is `0 %` or `100 %`; no other share is rounded to them. */
export function formatShare(part: number, whole: number): string {
  if (part === 0) return "0\u00a0%";
  if (part === whole) return "100\u00a0%";
  return `${Math.min(99.9, Math.max(0.1, (100 * part) / whole)).toFixed(1)}\u00a0%`;
}

/** Formats the status of a response, such as `404 Not Found`, and its headers. */
export function formatHead(status: string, headers: Iterable<[string, string]>): string {
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\n`);
  return `HTTP ${status}\n${lines.join("")}`;
}
