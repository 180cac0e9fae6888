import { uniform } from "./random.ts";

/** What a camera looks at, which decides whom it counts and when. */
export type Scene = "motorway" | "street" | "car park" | "square" | "path";

/** The counts that are usual for a camera in the busiest weekday hour. */
export interface Levels {
  /** Cars that stand in the picture day and night, part of the record's cars. */
  parked: number;
  cars: number;
  persons: number;
  bicycles: number;
  trucks: number;
  motorcycles: number;
  buses: number;
}

type Range = readonly [lowest: number, highest: number];

// biome-ignore format: a scene is a line
const RANGES: Record<Scene, Record<keyof Levels, Range>> = {
  motorway: { parked: [0, 0], cars: [4, 18], persons: [0, 0], bicycles: [0, 0], trucks: [0.5, 3], motorcycles: [0, 0.06], buses: [0, 0.5] },
  street: { parked: [0, 4], cars: [1, 14], persons: [0.5, 9], bicycles: [0, 0.5], trucks: [0.1, 1.8], motorcycles: [0, 0.08], buses: [0, 0.8] },
  "car park": { parked: [7, 17], cars: [1, 5], persons: [0.2, 1.5], bicycles: [0, 0.15], trucks: [0.1, 1], motorcycles: [0, 0.04], buses: [0, 0.3] },
  square: { parked: [0, 0], cars: [0, 3], persons: [9, 21], bicycles: [0, 2.5], trucks: [0, 0.4], motorcycles: [0, 0.1], buses: [0, 0.9] },
  path: { parked: [0, 0], cars: [0, 0.6], persons: [0.5, 3], bicycles: [0, 0.2], trucks: [0, 0.05], motorcycles: [0, 0.02], buses: [0, 0.02] },
};

/** The levels of the camera that owns `key`: quieter ones are more common than busy ones. */
export function levelsOf(scene: Scene, key: number): Levels {
  const ranges = RANGES[scene];
  const level = ([lowest, highest]: Range, part: number) =>
    lowest + (highest - lowest) * uniform(key, part) ** 1.5;
  return {
    parked: level(ranges.parked, 0),
    cars: level(ranges.cars, 1),
    persons: level(ranges.persons, 2),
    bicycles: level(ranges.bicycles, 3),
    trucks: level(ranges.trucks, 4),
    motorcycles: level(ranges.motorcycles, 5),
    buses: level(ranges.buses, 6),
  };
}
