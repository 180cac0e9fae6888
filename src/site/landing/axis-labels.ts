/**
 * Chooses the bars that get a label below a chart, as many as there is space for. The first bar and the first bar after
 * each gap come before all others. The others get no label so close to the end that it would be cut off.
 * @param names the names of the bars from left to right; undefined for a gap
 * @param apart the smallest distance between labels, in bars, 1 or more
 * @returns a label for each bar, which may be empty
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
