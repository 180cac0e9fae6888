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

const HOUR = 3600;

/** What the key of a camera decides. */
const [RECORDS, PEAK_COUNTS, RELIABILITY, FAILURES, ABSENCES] = [0, 1, 2, 3, 4] as const;

/**
 * Creates the cameras 1 .. `count` of a random seed. A larger count only adds cameras; the first ones stay the same.
 * @param count 0 or more
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
  return {
    camera_pk,
    camera_ref,
    site,
    key: hash(key, RECORDS),
    peakCounts: createPeakCounts(site.sceneType, hash(key, PEAK_COUNTS)),
    failures: { key: hash(key, FAILURES), ...createFailures(uniform(key, RELIABILITY)) },
    absences: { key: hash(key, ABSENCES), ...createSchedule(240, 0.25, 2, 14) },
  };
}

/** Half of the cameras never fail, most others fail now and then, and one in eight fails for days. */
function createFailures(reliability: number): Omit<OutageSchedule, "key"> {
  if (reliability < 0.5) return createSchedule(48, 0, 0, 0);
  return reliability < 0.87 ? createSchedule(48, 0.3, 2, 18) : createSchedule(72, 0.95, 48, 72);
}

/** @param chance all other lengths are in hours */
function createSchedule(window: number, chance: number, shortest: number, longest: number) {
  return { window: window * HOUR, chance, shortest: shortest * HOUR, longest: longest * HOUR };
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

/** What the key of a site decides. */
const [PHASE, TIMES] = [0, 1] as const;

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

/**
 * A schedule of outages of a camera. Time is divided into windows and each window may contain one outage, so that whether a
 * moment is in an outage does not depend on other moments. All lengths are in seconds.
 */
export interface OutageSchedule {
  /** Two keys have independent outages. */
  key: number;
  window: number;
  /** Share of windows that contain an outage, 0 .. 1. */
  chance: number;
  /** The lengths of outages, at most `window`. */
  shortest: number;
  longest: number;
}

/** What the key of a schedule decides, and that of a window. */
const [OFFSET, WINDOWS] = [0, 1] as const;
const [CHANCE, LENGTH, START] = [0, 1, 2] as const;

/** @param time whole seconds since 1970-01-01 UTC, 0 or more */
export function isInOutage(schedule: OutageSchedule, time: number): boolean {
  if (schedule.chance === 0) return false;
  // Each key has its own window borders. Otherwise, all cameras would change at the same moments.
  const shifted = time + (hash(schedule.key, OFFSET) % schedule.window);
  const key = hash(hash(schedule.key, WINDOWS), Math.floor(shifted / schedule.window));
  if (uniform(key, CHANCE) >= schedule.chance) return false;
  const length = schedule.shortest + (schedule.longest - schedule.shortest) * uniform(key, LENGTH);
  const start = (schedule.window - length) * uniform(key, START);
  const position = shifted % schedule.window;
  return position >= start && position < start + length;
}
