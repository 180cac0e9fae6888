import { createPeakCounts, type PeakCounts, type SceneType } from "./counts.ts";
import { hash, integer, SEED_PARTS, uniform } from "./random.ts";

/** A camera with everything that decides its records. */
export interface Camera {
  camera_pk: number;
  camera_ref: string;
  site: Site;
  /** For the random numbers of its records. */
  key: number;
  peakCounts: PeakCounts;
  /** When its image is unusable: all counts are 0. */
  failures: OutageSchedule;
  /** When it has no records. */
  absences: OutageSchedule;
}

/** A place with one or more cameras, which take their images at the same second. */
export interface Site {
  /** The `camera_ref` of each of its cameras. */
  refs: readonly string[];
  sceneType: SceneType;
  /** For its capture times. */
  key: number;
  /** When in an interval it takes images, as a share of the interval: from 0 up to, but not including, 1. */
  phase: number;
}

/**
 * When a camera has outages. Time is divided into windows and each window may contain one outage, so that whether a moment is
 * in an outage does not depend on other moments.
 */
interface OutageSchedule {
  /** Two keys have independent outages. */
  key: number;
  /** In seconds. */
  window: number;
  /** Share of windows that contain an outage, 0 .. 1. */
  chance: number;
  /** The lengths of outages in seconds, at most `window`. */
  shortest: number;
  longest: number;
}

const HOUR = 3600;

const ABSENT = { window: 240 * HOUR, chance: 0.25, shortest: 2 * HOUR, longest: 14 * HOUR };
const NEVER_FAILS = { window: HOUR, chance: 0, shortest: 0, longest: 0 };
const FAILS_FOR_HOURS = { window: 48 * HOUR, chance: 0.3, shortest: 2 * HOUR, longest: 18 * HOUR };
const FAILS_FOR_DAYS = { window: 72 * HOUR, chance: 0.95, shortest: 48 * HOUR, longest: 72 * HOUR };

/** What the key of a camera decides, that of a site, that of a schedule, and that of a window. */
const [RECORDS, PEAK_COUNTS, RELIABILITY, FAILURES, ABSENCES] = [0, 1, 2, 3, 4] as const;
const [PHASE, TIMES] = [0, 1] as const;
const [OFFSET, WINDOWS] = [0, 1] as const;
const [CHANCE, LENGTH, START] = [0, 1, 2] as const;

/**
 * Creates the cameras 1 .. `count` of a random seed. A larger count only adds cameras; the first ones stay the same.
 * @param seed 0 .. 2^32 - 1: decides how busy and how reliable the cameras are, but not their references
 */
export function createCameras(count: number, seed: number): Camera[] {
  const cameras: Camera[] = [];
  for (const site of generateSites(hash(seed, SEED_PARTS.sites))) {
    for (const camera_ref of site.refs) {
      if (cameras.length >= count) return cameras;
      cameras.push(createCamera(site, camera_ref, cameras.length + 1, hash(seed, SEED_PARTS.cameras)));
    }
  }
  return cameras;
}

function createCamera(site: Site, camera_ref: string, camera_pk: number, seedKey: number): Camera {
  const key = hash(seedKey, camera_pk);
  const reliability = uniform(key, RELIABILITY);
  const failing = reliability < 0.87 ? FAILS_FOR_HOURS : FAILS_FOR_DAYS;
  return {
    camera_pk,
    camera_ref,
    site,
    key: hash(key, RECORDS),
    peakCounts: createPeakCounts(site.sceneType, hash(key, PEAK_COUNTS)),
    failures: { key: hash(key, FAILURES), ...(reliability < 0.5 ? NEVER_FAILS : failing) },
    absences: { key: hash(key, ABSENCES), ...ABSENT },
  };
}

/**
 * Series of references, such as `a33` and `a33p2`, or `g86p1` and `g86p2`: the number of the first site, how many numbers each site
 * chooses from, the minimum number of digits, and whether the first camera of a site has the suffix `p1`.
 */
const REF_SERIES = {
  a: { first: 11, step: 8, digits: 1, alwaysNumbered: false },
  c: { first: 23, step: 9, digits: 1, alwaysNumbered: false },
  e: { first: 31, step: 14, digits: 1, alwaysNumbered: false },
  t: { first: 62, step: 90, digits: 1, alwaysNumbered: false },
  g: { first: 33, step: 11, digits: 1, alwaysNumbered: true },
  pd: { first: 1, step: 1, digits: 1, alwaysNumbered: true },
  fast: { first: 1, step: 2, digits: 2, alwaysNumbered: true },
} as const;

type SeriesName = keyof typeof REF_SERIES;

/** The pattern of sites, which is repeated: series, scene type, cameras. 86 cameras are a little more than three cycles. */
// biome-ignore format: four sites per line
const CYCLE: readonly (readonly [SeriesName, SceneType, number])[] = [
  ["a", "square", 1], ["c", "motorway", 1], ["g", "motorway", 2], ["c", "path", 1],
  ["a", "street", 2], ["e", "street", 1], ["t", "car park", 1], ["c", "car park", 1],
  ["g", "motorway", 1], ["pd", "street", 4], ["a", "square", 1], ["fast", "motorway", 1],
  ["g", "car park", 2], ["c", "path", 1], ["a", "street", 1], ["t", "path", 1],
  ["c", "square", 2], ["e", "street", 3],
];

/** Generates sites without end. Their references are the same for every key. */
function* generateSites(key: number): Generator<Site, never> {
  const used = new Map<SeriesName, number>();
  for (let first = 0; ; first += CYCLE.length) {
    for (const [index, [series, sceneType, size]] of CYCLE.entries()) {
      const earlier = used.get(series) ?? 0;
      used.set(series, earlier + 1);
      const siteKey = hash(key, first + index);
      const refs = createRefs(series, earlier, size);
      yield { refs, sceneType, key: hash(siteKey, TIMES), phase: uniform(siteKey, PHASE) };
    }
  }
}

/** @param earlier the number of earlier sites in the series */
function createRefs(series: SeriesName, earlier: number, size: number): string[] {
  const { first, step, digits, alwaysNumbered } = REF_SERIES[series];
  // A random number of its range, so that the numbers look irregular but never repeat.
  const number = first + step * earlier + integer(step, first, earlier);
  const site = series + String(number).padStart(digits, "0");
  const ref = (camera: number) => (camera === 1 && !alwaysNumbered ? site : `${site}p${camera}`);
  return Array.from({ length: size }, (_, index) => ref(index + 1));
}

/** @param time whole seconds since 1970-01-01 UTC, 0 or more */
export function isInOutage(
  { key, window, chance, shortest, longest }: OutageSchedule,
  time: number,
): boolean {
  // Each key has its own window borders. Otherwise, all cameras would change at the same moments.
  const shifted = time + (hash(key, OFFSET) % window);
  const windowKey = hash(hash(key, WINDOWS), Math.floor(shifted / window));
  if (uniform(windowKey, CHANCE) >= chance) return false;
  const length = shortest + (longest - shortest) * uniform(windowKey, LENGTH);
  const start = (window - length) * uniform(windowKey, START);
  const position = shifted % window;
  return position >= start && position < start + length;
}
