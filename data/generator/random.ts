// Random numbers without a sequence: each number is a hash of its purpose. Any record can therefore be generated alone, and no
// record depends on the ones before it.

const TWO_TO_32 = 2 ** 32;

/** What a random seed decides. Each part is independent of the others. */
export const SEED_PARTS = { sites: 0, cameras: 1, order: 2 } as const;

/**
 * The key that belongs to `part` of `key`: MurmurHash3's 32-bit finaliser over both. Keys can be nested, as in
 * `hash(hash(seed, SEED_PARTS.cameras), camera_pk)`.
 * @returns an integer 0 .. 2^32 - 1, as both parameters are
 */
export function hash(key: number, part: number): number {
  // The finaliser maps 0 to 0; without the added constant, seed 0 and part 0 would give a series of zeros.
  let mixed = ((key ^ Math.imul(part, 0x9e3779b1)) + 0x7f4a7c15) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A number from 0 up to, but not including, 1 for `part` of `key`. Every value is equally likely. */
export function uniform(key: number, part: number): number {
  return hash(key, part) / TWO_TO_32;
}

/** An integer 0 .. `below - 1` for `part` of `key`. Every value is equally likely. */
export function integer(below: number, key: number, part: number): number {
  return Math.floor(uniform(key, part) * below);
}

/**
 * A number of independent events (Poisson distribution, by inversion).
 * @param mean 0 or more; meant for means up to about 100, since the time it takes grows with the result
 * @param quantile from 0 up to, but not including, 1
 */
export function poisson(mean: number, quantile: number): number {
  let count = 0;
  let probability = Math.exp(-mean);
  let total = probability;
  while (quantile >= total) {
    count += 1;
    probability *= mean / count;
    total += probability;
  }
  return count;
}
