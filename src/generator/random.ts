/**
 * Randomness without a sequence: every number is a hash of what it is for, so any record can be made alone
 * and no record depends on the ones before it.
 */

const TWO_TO_32 = 2 ** 32;

/** What a seed number decides, each apart from the others. */
export const PARTS = { masts: 0, cameras: 1, order: 2 } as const;

/**
 * The key that belongs to `part` of `key`: MurmurHash3's 32-bit finaliser over both. Keys nest, as in
 * `hash(hash(seed, CAMERA), camera_pk)`.
 *
 * @param key 32-bit integer
 * @param part 32-bit integer
 * @returns an integer 0 .. 2^32 - 1
 */
export function hash(key: number, part: number): number {
  // The finaliser leaves 0 as 0; the added constant keeps seed 0 and part 0 from making a row of zeros.
  let mixed = ((key ^ Math.imul(part, 0x9e3779b1)) + 0x7f4a7c15) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A number from 0 up to, but not including, 1 for `part` of `key`; every value is equally likely. */
export function uniform(key: number, part: number): number {
  return hash(key, part) / TWO_TO_32;
}

/** An integer 0 .. `below - 1` for `part` of `key`; every value is equally likely. */
export function integer(below: number, key: number, part: number): number {
  return Math.floor(uniform(key, part) * below);
}

/**
 * How many independent events happen where `mean` of them are usual (Poisson, by inversion).
 *
 * @param mean 0 or more; made for means up to about 100, since the time it takes grows with the result
 * @param chance from 0 up to, but not including, 1: the same chance gives the same count
 */
export function poisson(mean: number, chance: number): number {
  let count = 0;
  let probability = Math.exp(-mean);
  let total = probability;
  while (chance >= total) {
    count += 1;
    probability *= mean / count;
    total += probability;
  }
  return count;
}
