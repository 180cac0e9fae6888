const GROUPED = new Intl.NumberFormat("en");

/** A whole number with thousands separators: `40,614`. */
export function formatNumber(value: number): string {
  return GROUPED.format(value);
}

/** A mean of whole numbers. Below 100 it has one decimal place, unless it is the mean of a single number. */
export function formatMean(sum: number, parts: number): string {
  const mean = sum / parts;
  return parts === 1 || mean >= 100 ? formatNumber(Math.round(mean)) : mean.toFixed(1);
}

/** A part of a whole in percent, with one decimal place: `14.2 %`. Of nothing, it is `0.0 %`. */
export function formatShare(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}
