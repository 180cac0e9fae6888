import { hash, integer, uniform } from "./random.ts";
import type { Scene } from "./scenes.ts";

/** Where cameras hang: those of one mast take their images at the same second. */
export interface Mast {
  /** The references of its cameras; no other mast has them. */
  refs: readonly string[];
  scene: Scene;
  /** The randomness of its capture times. */
  key: number;
  /** When in a slot it takes images, as a share of the slot, from 0 up to, but not including, 1. */
  phase: number;
}

/** How a family's references look: `a33` and `a33p2`, or `g86p1` and `g86p2`. */
interface Family {
  /** The first mast's number, and how far apart the numbers are at most. */
  first: number;
  step: number;
  /** Digits at least. */
  digits: number;
  /** Whether a mast's first camera carries `p1` too. */
  alwaysNumbered: boolean;
}

const FAMILIES = {
  a: { first: 11, step: 8, digits: 1, alwaysNumbered: false },
  c: { first: 23, step: 9, digits: 1, alwaysNumbered: false },
  e: { first: 31, step: 14, digits: 1, alwaysNumbered: false },
  t: { first: 62, step: 90, digits: 1, alwaysNumbered: false },
  g: { first: 33, step: 11, digits: 1, alwaysNumbered: true },
  pd: { first: 1, step: 1, digits: 1, alwaysNumbered: true },
  fast: { first: 1, step: 2, digits: 2, alwaysNumbered: true },
} as const satisfies Record<string, Family>;

type FamilyName = keyof typeof FAMILIES;

/** The masts in their order, over and over: family, scene, cameras. 86 cameras are three rounds and a bit. */
const ROUND: readonly (readonly [FamilyName, Scene, number])[] = [
  ["a", "square", 1],
  ["c", "motorway", 1],
  ["g", "motorway", 2],
  ["c", "path", 1],
  ["a", "street", 2],
  ["e", "street", 1],
  ["t", "car park", 1],
  ["c", "car park", 1],
  ["g", "motorway", 1],
  ["pd", "street", 4],
  ["a", "square", 1],
  ["fast", "motorway", 1],
  ["g", "car park", 2],
  ["c", "path", 1],
  ["a", "street", 1],
  ["t", "path", 1],
  ["c", "square", 2],
  ["e", "street", 3],
];

const PHASE = 0;
const TIMES = 1;

/** The masts of `seedKey`, one after the other without end; their references are the same for every key. */
export function* masts(seedKey: number): Generator<Mast, never> {
  const met = new Map<FamilyName, number>();
  for (let number = 0; ; number += ROUND.length) {
    for (const [turn, [family, scene, size]] of ROUND.entries()) {
      const earlier = met.get(family) ?? 0;
      met.set(family, earlier + 1);
      const key = hash(seedKey, number + turn);
      const refs = refsOf(family, earlier, size);
      yield { refs, scene, key: hash(key, TIMES), phase: uniform(key, PHASE) };
    }
  }
}

/** @param earlier how many masts of the family there are before this one */
function refsOf(family: FamilyName, earlier: number, size: number): string[] {
  const { first, step, digits, alwaysNumbered } = FAMILIES[family];
  // Each mast has `step` numbers to itself, so the numbers look irregular and never repeat.
  const number = first + step * earlier + integer(step, first, earlier);
  const mast = family + String(number).padStart(digits, "0");
  const ref = (camera: number) => (camera === 1 && !alwaysNumbered ? mast : `${mast}p${camera}`);
  return Array.from({ length: size }, (_, index) => ref(index + 1));
}
