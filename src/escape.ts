/** Escapes a UTF-16 code unit as JSON can: `\u2019`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Escapes characters that a terminal does not show, or that change the rest of its output. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").map(escapeUnit).join(""),
  );
}

/** Quotes a word of a command for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
