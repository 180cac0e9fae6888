/**
 * Formats a value that came from outside as JSON for a message, cut to 60 characters. JSON shows white space and
 * keeps control characters away from the terminal.
 */
export function formatValue(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 59).toWellFormed()}…` : json;
}

/** Formats a number with its noun: `1 page`, `2 pages`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
