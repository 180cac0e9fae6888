import { listSeedFiles } from "../data/sources.ts";
import { stage } from "../data/staging.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import { listRecords } from "./data/staging/stage-files.ts";

/** Reads the records of the seed, oldest first. */
export async function readSeed(): Promise<TrafficRecord[]> {
  const staged = await stage(listSeedFiles(), { strict: true });
  const records = [...listRecords(staged)];
  staged.close();
  return records;
}
