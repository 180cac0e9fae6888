/** A word with more wrong letters is not a misspelling. */
const MAX_DISTANCE = 2;

/** The known word from which a word differs least, if it is probably meant. */
export function findNearest<T extends string>(word: string, known: readonly T[]): T | undefined {
  const [nearest] = known
    .map((one) => ({ one, distance: editDistance(word.slice(0, 20), one) }))
    .filter(({ one, distance }) => distance <= Math.min(MAX_DISTANCE, one.length - 1))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.one;
}

/** How many letters must be inserted, removed or replaced to turn one word into another (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
