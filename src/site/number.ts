const GROUPED = new Intl.NumberFormat("en");

/** A whole number with its thousands apart: `40,614`. */
export function formatNumber(value: number): string {
  return GROUPED.format(value);
}

/** A mean of whole numbers: with a decimal where it is so small that one matters. */
export function formatMean(sum: number, parts: number): string {
  const mean = sum / parts;
  return parts === 1 || mean >= 100 ? formatNumber(Math.round(mean)) : mean.toFixed(1);
}

/** A part of a whole in percent, with one decimal: `14.2 %`; of nothing, 0. */
export function formatShare(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}
