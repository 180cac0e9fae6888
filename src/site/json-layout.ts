/** Writes JSON with a line for each field and for each record. */
export function layOutJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/(?<=\n +)\{[^{}]*\}/g, (record) =>
    record.replaceAll(/\s*\n\s*/g, " "),
  );
}
