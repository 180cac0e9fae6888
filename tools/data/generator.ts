import { mixBits } from "../../src/hash.ts";
import { NO_COUNTS, ROAD_USERS } from "../../src/records/road-users.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";

/** The records to generate, in the period from `from` up to, but not including, `to`. */
export interface GeneratorOptions {
  /** A random seed, 0 to 2^32 - 1; 1 by default. A different random seed gives different records. */
  seed?: number | undefined;
  /** The start of the period, not before `GENERATOR_EPOCH`. */
  from: Date;
  to: Date;
  /** The number of cameras, 1 or more; 86 by default. */
  cameras?: number | undefined;
  /** The interval between two records of a camera in whole minutes, 1 or more; 30 by default. */
  interval?: number | undefined;
}

/** Intervals and ids are counted from this time. */
export const GENERATOR_EPOCH = new Date("2019-01-01T00:00:00Z");

// All times below are in seconds since 1970-01-01 UTC.
const EPOCH = GENERATOR_EPOCH.getTime() / 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** The kinds of sites, repeated in this order, with the prefix of their camera references, and the mean counts of the busiest hour. */
// biome-ignore format: a site per line
const SITES = [
  { prefix: "a", cameras: 1, parked: 0, peaks: { cars: 1.5, persons: 16, bicycles: 1.5, trucks: 0.2, motorcycles: 0.1, buses: 0.5 } },
  { prefix: "c", cameras: 1, parked: 0, peaks: { cars: 12, persons: 0, bicycles: 0, trucks: 1.8, motorcycles: 0.05, buses: 0.3 } },
  { prefix: "g", cameras: 2, parked: 0, peaks: { cars: 8, persons: 0, bicycles: 0, trucks: 1.2, motorcycles: 0.03, buses: 0.2 } },
  { prefix: "e", cameras: 3, parked: 2, peaks: { cars: 6, persons: 4, bicycles: 0.3, trucks: 0.8, motorcycles: 0.05, buses: 0.4 } },
  { prefix: "t", cameras: 1, parked: 12, peaks: { cars: 3, persons: 0.8, bicycles: 0.1, trucks: 0.5, motorcycles: 0.02, buses: 0.1 } },
  { prefix: "pd", cameras: 4, parked: 1, peaks: { cars: 4, persons: 6, bicycles: 0.4, trucks: 0.5, motorcycles: 0.04, buses: 0.6 } },
  { prefix: "f", cameras: 1, parked: 0, peaks: { cars: 0.3, persons: 1.8, bicycles: 0.2, trucks: 0, motorcycles: 0.01, buses: 0 } },
];

/** The traffic in each hour of the day in UTC, in percent of the busiest hour. */
// biome-ignore format: 24 hours per line
const VEHICLE_ACTIVITY = {
  weekdays: [7, 5, 4, 4, 8, 24, 62, 90, 78, 69, 70, 75, 78, 73, 78, 91, 100, 81, 62, 51, 43, 33, 22, 12],
  weekends: [14, 9, 6, 5, 5, 9, 16, 28, 42, 54, 62, 64, 60, 58, 60, 62, 60, 54, 46, 38, 32, 28, 24, 20],
};
// biome-ignore format: 24 hours per line
const PEOPLE_ACTIVITY = {
  weekdays: [5, 4, 4, 4, 6, 12, 34, 62, 60, 62, 76, 92, 95, 72, 84, 100, 90, 72, 56, 42, 34, 28, 18, 8],
  weekends: [12, 8, 5, 4, 4, 6, 10, 22, 46, 70, 84, 90, 88, 86, 84, 80, 70, 58, 48, 40, 34, 28, 22, 16],
};

/**
 * Generates records, oldest first, and in descending order of `camera_ref` at the same time. A record depends only on the random seed,
 * the interval length, its camera and its interval. Its id depends on the number of cameras, too. So a longer period only adds records.
 * Ids grow with time, and have no order within one timestamp.
 */
export function* generateRecords(options: GeneratorOptions): Generator<TrafficRecord, void> {
  const { seed = 1, cameras: count = 86, interval: minutes = 30 } = options;
  const from = options.from.getTime() / 1000;
  const to = options.to.getTime() / 1000;
  const length = minutes * 60;
  const cameras = createCameras(count, seed);
  for (let number = Math.floor((from - EPOCH) / length); EPOCH + number * length < to; number++) {
    const records = listMoments(cameras, number, length).flatMap(({ camera, time }, index) => {
      // One record in a hundred is missing, and occasionally all records of some hours. Their ids are missing, too.
      const isMissing = random(camera.key, time) < 0.01 || isDuringOutage(camera.key, time, 10 * DAY, 0.25);
      if (isMissing || time < from || time >= to) return [];
      return [createRecord(camera, time, number * count + index + 1)];
    });
    yield* records.sort(compareOldestFirst);
  }
}

/** Lists when each camera takes its image in an interval: by time, and in random order at the same time. */
function listMoments(cameras: Camera[], number: number, length: number) {
  const moments = cameras.map((camera) => {
    // The cameras of a site take their images in the same second, at about the same time in each interval.
    const offset = Math.floor(random(camera.siteKey, 0) * (length - 10));
    const time = EPOCH + number * length + offset + randomInteger(10, camera.siteKey, number);
    return { camera, time, order: random(hash(camera.key, 4), number) };
  });
  return moments.sort((one, other) => one.time - other.time || one.order - other.order);
}

function compareOldestFirst(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.camera_ref < other.camera_ref ? 1 : -1;
}

interface Camera extends Pick<TrafficRecord, "camera_pk" | "camera_ref"> {
  site: (typeof SITES)[number];
  siteKey: number;
  key: number;
  scale: number;
}

/** A larger count only adds cameras. The references are the same for every random seed. */
function createCameras(count: number, seed: number): Camera[] {
  const cameras: Camera[] = [];
  for (let round = 0; cameras.length < count; round++) {
    for (const [order, site] of SITES.entries()) {
      const index = round * SITES.length + order;
      // A random number in a range of its own, so that numbers look irregular but never repeat.
      const number = 11 + 8 * round + randomInteger(8, 0, index);
      const siteKey = hash(hash(seed, 1), index);
      for (let cameraOfSite = 1; cameraOfSite <= site.cameras; cameraOfSite++) {
        const camera_ref = `${site.prefix}${number}${cameraOfSite === 1 ? "" : `p${cameraOfSite}`}`;
        const camera_pk = cameras.length + 1;
        const key = hash(hash(seed, 2), camera_pk);
        // Quiet cameras are more common than busy ones.
        const scale = 0.3 + random(key, 1) ** 1.5;
        cameras.push({ camera_pk, camera_ref, site, siteKey, key, scale });
      }
    }
  }
  return cameras.slice(0, count);
}

function createRecord(camera: Camera, time: number, id: number): TrafficRecord {
  const { camera_pk, camera_ref } = camera;
  // Half of the cameras never fail. Windows of a day would always begin at the same hour.
  const isFailing = camera.key % 2 === 0 && isDuringOutage(hash(camera.key, 3), time, 29 * HOUR, 0.9);
  const timestamp = `${new Date(time * 1000).toISOString().slice(0, 19)}Z`;
  const camera_ok = isFailing ? "False" : "True";
  return {
    id,
    camera_pk,
    camera_ref,
    timestamp,
    // Older records have no camera health (specification, "List records", rule 4).
    camera_ok: timestamp < "2021" ? null : camera_ok,
    ...(isFailing ? NO_COUNTS : createCounts(camera, time)),
    model_name: "tf1",
  };
}

function createCounts({ key, site, scale }: Camera, time: number): typeof NO_COUNTS {
  const date = new Date(time * 1000);
  const days = [0, 6].includes(date.getUTCDay()) ? "weekends" : "weekdays";
  const counts = { ...NO_COUNTS };
  for (const [index, name] of ROAD_USERS.entries()) {
    const activity = name === "persons" || name === "bicycles" ? PEOPLE_ACTIVITY : VEHICLE_ACTIVITY;
    const shareOfPeak = Number(activity[days][date.getUTCHours()]) / 100;
    const mean = site.peaks[name] * scale * shareOfPeak;
    counts[name] = poisson(mean, random(hash(key, time), index));
  }
  return { ...counts, cars: counts.cars + site.parked };
}

/** Time is divided into windows. Each window may contain an outage of 2 to 16 hours, so a moment depends on no other moment. */
function isDuringOutage(key: number, time: number, window: number, chance: number): boolean {
  // Each key has its own windows, so that cameras do not all change at the same time.
  const shifted = time + randomInteger(window, key, 4);
  const windowKey = hash(hash(key, 5), Math.floor(shifted / window));
  const length = HOUR * (2 + 14 * random(windowKey, 1));
  const position = (shifted % window) - (window - length) * random(windowKey, 2);
  return random(windowKey, 0) < chance && position >= 0 && position < length;
}

// Each random number is a hash of its purpose, so no record depends on previous records.

/** Derives a new key from a key and a part, with the 32-bit finalizer of MurmurHash3. */
function hash(key: number, part: number): number {
  // The finalizer maps 0 to 0. Without the constant, random seed 0 and part 0 would give a series of zeros.
  return mixBits((key ^ Math.imul(part, 0x9e3779b1)) + 0x7f4a7c15);
}

/** Returns a uniformly distributed number from 0 up to, but not including, 1. */
export function random(key: number, part: number): number {
  return hash(key, part) / 2 ** 32;
}

/** Returns a uniformly distributed whole number from 0 to `below - 1`. */
function randomInteger(below: number, key: number, part: number): number {
  return Math.floor(random(key, part) * below);
}

/** Returns a number of independent events (Poisson distribution, by inversion). */
function poisson(mean: number, quantile: number): number {
  let count = 0;
  let probability = Math.exp(-mean);
  for (let total = probability; quantile >= total; total += probability) probability *= mean / ++count;
  return count;
}
