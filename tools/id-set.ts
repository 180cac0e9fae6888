/** A set of whole numbers that needs 13 bytes per id, where a `Set` needs 40. */
export interface IdSet {
  has(id: number): boolean;
  /** @returns false if the set contains the id already */
  add(id: number): boolean;
}

/** The part of the slots that may be in use. A fuller table needs longer searches. */
const MAX_LOAD_FACTOR = 0.7;

/** A hash table with open addressing. NaN marks a free slot. */
export function createIdSet(): IdSet {
  let slots = new Float64Array(1024).fill(Number.NaN);
  let used = 0;
  return {
    has: (id) => slots[findSlot(slots, id)] === id,
    add(id) {
      const slot = findSlot(slots, id);
      if (slots[slot] === id) return false;
      slots[slot] = id;
      used += 1;
      if (used > slots.length * MAX_LOAD_FACTOR) slots = enlarge(slots);
      return true;
    },
  };
}

/** The slot that contains the id, or else the free slot for it. */
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

/** Multiplies both halves of the number by odd factors, so that the low bits depend on every bit. */
function hash(id: number): number {
  const mixed = Math.imul(id | 0, 0x9e3779b1) ^ Math.imul(Math.floor(id / 2 ** 32), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
