/**
 * Formats a value that came from outside as JSON for a message, cut to 60 characters. JSON shows white space and
 * keeps control characters away from the terminal.
 */
export function formatValue(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 59).toWellFormed()}…` : json;
}
