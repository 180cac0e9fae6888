/** A whole number with thousands separators: `40,614`. `Intl.NumberFormat` would take 10 ms to load. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A number of things: `1 page`, `2,708 pages`. */
export function formatCount(count: number, thing: string): string {
  return `${formatNumber(count)} ${thing}${count === 1 ? "" : "s"}`;
}
