/** The value of a query parameter; of a repeated one, the last. Null if it is absent. */
export function lastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}
