import type { Counts, RoadUser } from "../../src/records/record.ts";
import { poisson, uniform } from "./random.ts";

/** What a camera looks at. It decides which road users are counted, and when. */
export type SceneType = "motorway" | "street" | "car park" | "square" | "path";

/** The mean counts of a camera in the busiest weekday hour, and the cars that are in the picture day and night. */
export type PeakCounts = Record<"parked" | RoadUser, number>;

type Range = readonly [lowest: number, highest: number];

// biome-ignore format: one scene type per line
const RANGES: Record<SceneType, Record<keyof PeakCounts, Range>> = {
  motorway: { parked: [0, 0], cars: [4, 18], persons: [0, 0], bicycles: [0, 0], trucks: [0.5, 3], motorcycles: [0, 0.06], buses: [0, 0.5] },
  street: { parked: [0, 4], cars: [1, 14], persons: [0.5, 9], bicycles: [0, 0.5], trucks: [0.1, 1.8], motorcycles: [0, 0.08], buses: [0, 0.8] },
  "car park": { parked: [7, 17], cars: [1, 5], persons: [0.2, 1.5], bicycles: [0, 0.15], trucks: [0.1, 1], motorcycles: [0, 0.04], buses: [0, 0.3] },
  square: { parked: [0, 0], cars: [0, 3], persons: [9, 21], bicycles: [0, 2.5], trucks: [0, 0.4], motorcycles: [0, 0.1], buses: [0, 0.9] },
  path: { parked: [0, 0], cars: [0, 0.6], persons: [0.5, 3], bicycles: [0, 0.2], trucks: [0, 0.05], motorcycles: [0, 0.02], buses: [0, 0.02] },
};

/** Creates the peak counts of a camera. Quiet cameras are more common than busy ones. */
export function createPeakCounts(sceneType: SceneType, key: number): PeakCounts {
  const levels = Object.entries(RANGES[sceneType]).map(([name, [lowest, highest]], part) => [
    name,
    lowest + (highest - lowest) * uniform(key, part) ** 1.5,
  ]);
  return Object.fromEntries(levels) as PeakCounts;
}

/**
 * How busy each kind of road user is in an hour, relative to its busiest weekday hour; weekends may exceed 1. Traffic is cars
 * and motorcycles. Errands are persons and bicycles on their way to work, school and shops, leisure those on squares and paths.
 */
type Hours = Record<"traffic" | "trucks" | "buses" | "errands" | "leisure", readonly number[]>;

// Percent for each local hour of the day, 0 to 23.
// biome-ignore format: 24 hours per line
const WEEKDAY: Hours = {
  traffic: [12, 6, 4, 4, 4, 8, 25, 65, 90, 75, 68, 70, 75, 78, 72, 78, 92, 100, 80, 62, 52, 44, 34, 22],
  trucks: [12, 10, 10, 10, 14, 25, 50, 78, 95, 100, 96, 98, 95, 92, 88, 72, 52, 36, 26, 20, 18, 16, 14, 12],
  buses: [6, 2, 1, 1, 4, 20, 55, 90, 100, 80, 75, 80, 85, 88, 90, 90, 85, 75, 60, 45, 35, 28, 20, 12],
  errands: [8, 5, 4, 4, 4, 6, 12, 35, 65, 62, 62, 78, 92, 95, 72, 85, 100, 90, 72, 56, 42, 34, 30, 18],
  leisure: [6, 4, 2, 2, 2, 4, 8, 20, 36, 42, 50, 64, 80, 78, 60, 64, 70, 72, 64, 54, 42, 34, 24, 14],
};

// biome-ignore format: 24 hours per line
const WEEKEND: Hours = {
  traffic: [20, 14, 9, 6, 5, 5, 9, 16, 28, 42, 54, 62, 64, 60, 58, 60, 62, 60, 54, 46, 38, 32, 28, 24],
  trucks: [8, 6, 6, 6, 6, 8, 14, 20, 26, 30, 30, 30, 28, 26, 24, 20, 18, 16, 12, 10, 8, 8, 8, 8],
  buses: [8, 4, 1, 1, 1, 4, 14, 24, 34, 40, 44, 46, 46, 46, 46, 46, 44, 40, 34, 28, 22, 18, 14, 10],
  errands: [16, 12, 8, 6, 5, 5, 6, 10, 22, 40, 58, 68, 70, 68, 70, 72, 70, 62, 52, 46, 38, 32, 28, 22],
  leisure: [18, 12, 8, 4, 3, 3, 5, 10, 26, 52, 84, 104, 110, 106, 104, 100, 92, 78, 64, 54, 46, 38, 30, 24],
};

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The cameras are in Central Europe. UTC+1 is used all year, so the peaks do not shift with summer time. */
const UTC_OFFSET = HOUR;

/** 1970-01-01 was a Thursday; weekdays are counted from Monday. */
const THURSDAY = 3;
const SATURDAY = 5;

/**
 * Generates the counts of one record.
 * @param key of this record alone
 * @param time whole seconds since 1970-01-01 UTC, which decide how busy the hour is
 */
export function generateCounts(
  sceneType: SceneType,
  peakCounts: PeakCounts,
  key: number,
  time: number,
): Counts {
  const local = time + UTC_OFFSET;
  const hour = Math.floor((local % DAY) / HOUR);
  const weekday = (Math.floor(local / DAY) + THURSDAY) % 7;
  const shares = weekday < SATURDAY ? WEEKDAY : WEEKEND;
  const share = (kind: keyof Hours) => (shares[kind][hour] ?? 0) / 100;
  const onFoot = share(sceneType === "square" || sceneType === "path" ? "leisure" : "errands");
  // Parked cars come and go a few at a time: the mean, plus or minus a fifth.
  const parked = Math.round(peakCounts.parked * (0.8 + 0.4 * uniform(key, 0)));
  return {
    cars: parked + poisson(peakCounts.cars * share("traffic"), uniform(key, 1)),
    persons: poisson(peakCounts.persons * onFoot, uniform(key, 2)),
    bicycles: poisson(peakCounts.bicycles * onFoot, uniform(key, 3)),
    trucks: poisson(peakCounts.trucks * share("trucks"), uniform(key, 4)),
    motorcycles: poisson(peakCounts.motorcycles * share("traffic"), uniform(key, 5)),
    buses: poisson(peakCounts.buses * share("buses"), uniform(key, 6)),
  };
}
