import { hashString } from "../hash.ts";

/** Random numbers for a request, one for each purpose: evenly distributed, from 0 up to but not including 1. */
export type RandomSource = (purpose: string) => number;

/** Creates random numbers for a request. With a random seed, they depend only on the seed, the purpose and the key of the request. */
export function createRandom(seed: number | undefined, key: string): RandomSource {
  if (seed === undefined) return Math.random;
  return (purpose) => hashString(`${seed} ${purpose} ${key}`) / 2 ** 53;
}
