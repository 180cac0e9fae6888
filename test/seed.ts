import { listSeedFiles } from "../data/sources.ts";
import { stage } from "../data/staging.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import { takeRecords } from "./data/input.ts";

/** Reads the records of the seed, oldest first. */
export async function readSeed(): Promise<TrafficRecord[]> {
  return takeRecords(await stage(listSeedFiles(), { strict: true }));
}
