/**
 * Gives the items in lists, each of which weighs `size` or, by its last item, more; the last one may weigh less.
 * @param weigh by default each item weighs 1, and lists are of `size` items
 */
export function* chunk<T>(items: Iterable<T>, size: number, weigh = (_item: T) => 1): Generator<T[]> {
  let list: T[] = [];
  let weight = 0;
  for (const item of items) {
    list.push(item);
    weight += weigh(item);
    if (weight < size) continue;
    yield list;
    list = [];
    weight = 0;
  }
  if (list.length > 0) yield list;
}
