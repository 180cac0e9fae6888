/** Ids, a whole number each, in little memory: 13 bytes an id where a Set takes 40. */
export interface IdSet {
  has(id: number): boolean;
  /** @returns false if it was there already */
  add(id: number): boolean;
}

/** Fuller tables make for long searches. */
const MOST_FILLED = 0.7;

/** A hash table with open addressing; NaN is a free slot. */
export function createIdSet(): IdSet {
  let slots = new Float64Array(1024).fill(Number.NaN);
  let filled = 0;
  return {
    has: (id) => slots[findSlot(slots, id)] === id,
    add(id) {
      const slot = findSlot(slots, id);
      if (slots[slot] === id) return false;
      slots[slot] = id;
      filled += 1;
      if (filled > slots.length * MOST_FILLED) slots = enlarge(slots);
      return true;
    },
  };
}

/** The slot where the id is, or where it belongs. */
function findSlot(slots: Float64Array, id: number): number {
  const mask = slots.length - 1;
  let slot = hash(id) & mask;
  while (slots[slot] !== id && !Number.isNaN(slots[slot])) slot = (slot + 1) & mask;
  return slot;
}

function enlarge(slots: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(slots.length * 2).fill(Number.NaN);
  for (const id of slots) if (!Number.isNaN(id)) larger[findSlot(larger, id)] = id;
  return larger;
}

/** Both halves of the number, mixed by odd factors so that the low bits depend on all of it. */
function hash(id: number): number {
  const mixed = Math.imul(id | 0, 0x9e3779b1) ^ Math.imul(Math.floor(id / 2 ** 32), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
