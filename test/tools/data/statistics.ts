import type { TrafficRecord } from "../../../src/records/record.ts";
import { gatherStatistics, type Statistics } from "../../../src/records/statistics.ts";

/** The statistics of records, which must be oldest first. */
export function statisticsOf(records: TrafficRecord[]): Statistics {
  const gathering = gatherStatistics();
  if ([...gathering.pass(records)].length !== records.length) throw new Error("some records do not pass");
  return gathering.statistics();
}
