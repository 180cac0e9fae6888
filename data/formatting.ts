/** Formats a value that came from outside as JSON for a message, cut to a number of characters. */
export function formatValue(value: unknown, max = 60): string {
  const json = escapeInvisible(JSON.stringify(value));
  return json.length > max ? `${json.slice(0, max - 1).toWellFormed()}…` : json;
}

/** Escapes characters that the terminal would not show, or that would change how it shows the rest. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Formats a number with its noun: `1 page`, `2 pages`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
