/** Escapes a UTF-16 code unit as JSON can: `\u2019`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
