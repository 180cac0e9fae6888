/**
 * Parses a date in UTC, `YYYY-MM-DD`, or a date-time, `YYYY-MM-DDThh:mm:ssZ` with up to three decimals.
 * @returns Milliseconds since 1970, or undefined if the text has a different format or the date does not exist
 */
export function parseUtcTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/.test(text)) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  // Date.parse converts 30 February to 2 March.
  const isSameDay = new Date(time).toISOString().startsWith(text.slice(0, 10));
  return isSameDay ? time : undefined;
}
