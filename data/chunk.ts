/** Gives the items in lists of `size`; the last one may be shorter. */
export function* chunk<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let list: T[] = [];
  for (const item of items) {
    list.push(item);
    if (list.length < size) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}
