/** A whole number with thousands separators: `40,614`. `Intl.NumberFormat` would take 10 ms to load. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
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

const SUFFIXES = ["", "K", "M", "G", "T", "P"];

/** A short form of a number for an axis: `12K`, `1.5M`. */
export function formatShort(value: number): string {
  const power = value < 1000 ? 0 : Math.min(SUFFIXES.length - 1, Math.floor(Math.log10(value) / 3));
  return `${Number((value / 1000 ** power).toPrecision(3))}${SUFFIXES[power]}`;
}

/** The smallest round number that is not below a number: 1, 2, 4, 5 or 10 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 5].find((step) => step * power >= value) ?? 10);
}
