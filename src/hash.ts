/**
 * Computes a hash of 53 bits, with the multipliers and the finalizer of MurmurHash3 (Austin Appleby, in the public domain) in two lanes.
 * The hash is not safe against deliberate collisions.
 */
export function hashString(text: string): number {
  let high = text.length;
  let low = ~text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0xcc9e2d51);
    high = (high << 15) | (high >>> 17);
    low = Math.imul(low ^ unit, 0x1b873593);
    low = (low << 13) | (low >>> 19);
  }
  return (mixBits(high) >>> 11) * 2 ** 32 + mixBits(low);
}

/** The 32-bit finalizer of MurmurHash3: each bit of the result, from 0 to 2^32 - 1, depends on all bits of the lane. */
export function mixBits(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
