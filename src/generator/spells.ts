import { hash, uniform } from "./random.ts";

/**
 * Stretches of hours in which something holds for a camera: its image fails, or it is absent. Time is cut in
 * blocks and each block may hold one spell, so that whether a moment is in a spell needs no look at other moments.
 */
export interface Spells {
  /** Whose spells: two keys have independent spells. */
  key: number;
  /** Seconds from one block's start to the next. */
  block: number;
  /** Share of blocks that hold a spell, 0 .. 1. */
  chance: number;
  /** Seconds of the shortest and the longest spell, at most `block`. */
  shortest: number;
  longest: number;
}

const OFFSET = 0;
const BLOCKS = 1;

const CHANCE = 0;
const LENGTH = 1;
const START = 2;

/** Whether the moment `time` (whole seconds since 1970-01-01 UTC, 0 or more) is in one of the spells. */
export function inSpell(spells: Spells, time: number): boolean {
  if (spells.chance === 0) return false;
  // Each key cuts time at its own moments; otherwise all cameras would change on the same block borders.
  const moved = time + (hash(spells.key, OFFSET) % spells.block);
  const key = hash(hash(spells.key, BLOCKS), Math.floor(moved / spells.block));
  if (uniform(key, CHANCE) >= spells.chance) return false;
  const length = spells.shortest + (spells.longest - spells.shortest) * uniform(key, LENGTH);
  const start = (spells.block - length) * uniform(key, START);
  const position = moved % spells.block;
  return position >= start && position < start + length;
}
