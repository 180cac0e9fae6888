import type { Counts } from "../records/road-users.ts";
import type { Camera } from "./cameras.ts";
import { poisson, uniform } from "./random.ts";
import type { Rhythm } from "./rhythm.ts";
import type { Scene } from "./scenes.ts";

/**
 * What a camera counts at a moment.
 *
 * @param camera who counts
 * @param key the randomness of this record alone
 * @param rhythm how busy the roads are at the moment
 */
export function countsOf({ mast, levels }: Camera, key: number, rhythm: Rhythm): Counts {
  const onFoot = forLeisure(mast.scene) ? rhythm.leisure : rhythm.errands;
  return {
    cars: parkedCars(levels.parked, uniform(key, 0)) + poisson(levels.cars * rhythm.traffic, uniform(key, 1)),
    persons: poisson(levels.persons * onFoot, uniform(key, 2)),
    bicycles: poisson(levels.bicycles * onFoot, uniform(key, 3)),
    trucks: poisson(levels.trucks * rhythm.trucks, uniform(key, 4)),
    motorcycles: poisson(levels.motorcycles * rhythm.traffic, uniform(key, 5)),
    buses: poisson(levels.buses * rhythm.buses, uniform(key, 6)),
  };
}

function forLeisure(scene: Scene): boolean {
  return scene === "square" || scene === "path";
}

/** Parked cars come and go a few at a time: the usual number, give or take a fifth. */
function parkedCars(usual: number, chance: number): number {
  return Math.round(usual * (0.8 + 0.4 * chance));
}
