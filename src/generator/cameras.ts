import { type Mast, masts } from "./masts.ts";
import { hash, PARTS, uniform } from "./random.ts";
import { type Levels, levelsOf } from "./scenes.ts";
import type { Spells } from "./spells.ts";

/** A camera and all that decides its records. */
export interface Camera {
  camera_pk: number;
  camera_ref: string;
  mast: Mast;
  /** The randomness of its records. */
  key: number;
  levels: Levels;
  /** When its image is of no use: all counts are 0. */
  failures: Spells;
  /** When it has no records at all. */
  absences: Spells;
}

const HOUR = 3600;

const RECORDS = 0;
const LEVELS = 1;
const RELIABILITY = 2;
const FAILURES = 3;
const ABSENCES = 4;

/**
 * The cameras 1 .. `count` of a seed number. More cameras only add: the first ones stay as they are.
 *
 * @param count 0 or more
 * @param seed 0 .. 2^32 - 1: changes how busy and how reliable the cameras are, not their references
 */
export function cameras(count: number, seed: number): Camera[] {
  const all: Camera[] = [];
  for (const mast of masts(hash(seed, PARTS.masts))) {
    for (const camera_ref of mast.refs) {
      if (all.length >= count) return all;
      all.push(cameraOf(mast, camera_ref, all.length + 1, hash(seed, PARTS.cameras)));
    }
  }
  return all;
}

function cameraOf(mast: Mast, camera_ref: string, camera_pk: number, seedKey: number): Camera {
  const key = hash(seedKey, camera_pk);
  return {
    camera_pk,
    camera_ref,
    mast,
    key: hash(key, RECORDS),
    levels: levelsOf(mast.scene, hash(key, LEVELS)),
    failures: { key: hash(key, FAILURES), ...failuresOf(uniform(key, RELIABILITY)) },
    absences: {
      key: hash(key, ABSENCES),
      block: 240 * HOUR,
      chance: 0.25,
      shortest: 2 * HOUR,
      longest: 14 * HOUR,
    },
  };
}

/** Half of the cameras never fail, most others fail now and then, and one in eight is broken for days. */
function failuresOf(reliability: number): Omit<Spells, "key"> {
  if (reliability < 0.5) return { block: 48 * HOUR, chance: 0, shortest: 0, longest: 0 };
  if (reliability < 0.87) return { block: 48 * HOUR, chance: 0.3, shortest: 2 * HOUR, longest: 18 * HOUR };
  return { block: 72 * HOUR, chance: 0.95, shortest: 48 * HOUR, longest: 72 * HOUR };
}
