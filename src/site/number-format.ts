/** A whole number with thousands separators: `40,614`. `Intl.NumberFormat` would take 10 ms to load. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A part of a whole in percent, with one decimal place: `14.2 %`. Of nothing, it is `0.0 %`. */
export function formatShare(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}
