import type { Camera } from "./cameras.ts";
import { hash, integer, PARTS } from "./random.ts";

/**
 * In which order the images of a slot are processed. Ids follow it, so inside one timestamp they are out of order
 * (specification, "List records", rule 3).
 */
export interface Order {
  count: number;
  /** Ranks between one camera and the next; has no divisor in common with `count`, so every camera has its own rank. */
  stride: number;
  key: number;
}

/** The order of `count` cameras, 1 or more, of a seed number. */
export function orderOf(count: number, seed: number): Order {
  // The golden section sends neighbours, so the cameras of a mast, far apart.
  let stride = Math.ceil(count * 0.618);
  while (divisor(stride, count) > 1) stride += 1;
  return { count, stride, key: hash(seed, PARTS.order) };
}

/** The rank of a camera in a slot, 0 .. count - 1: each slot starts with another camera. */
export function rankIn({ count, stride, key }: Order, slot: number, { camera_pk }: Camera): number {
  return (camera_pk * stride + integer(count, key, slot)) % count;
}

/** The greatest common divisor. */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
