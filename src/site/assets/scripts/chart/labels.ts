/**
 * Chooses which bars are named below a chart, as many as there is room for: the first one, and the first one after each
 * gap, before all others. Of the others, none is so near to the end that its name would be cut.
 * @param names of the bars from left to right; undefined where there is a gap
 * @param apart how many bars the named ones have to be apart, 1 or more
 * @returns the names, each in its place; empty where none is written
 */
export function chooseLabels(names: (string | undefined)[], apart: number): string[] {
  const [openings, others] = [[] as number[], [] as number[]];
  for (const [index, name] of names.entries()) {
    if (name === undefined) continue;
    if (names[index - 1] === undefined) openings.push(index);
    else if (2 * (names.length - 1 - index) >= apart - 1) others.push(index);
  }
  const chosen = new Set<number>();
  for (const index of [...openings, ...others])
    if ([...chosen].every((other) => Math.abs(other - index) >= apart)) chosen.add(index);
  return names.map((name, index) => (chosen.has(index) ? (name ?? "") : ""));
}
