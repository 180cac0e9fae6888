import { gatherStatistics } from "../../../data/statistics.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import type { Statistics } from "../../../src/records/statistics.ts";

export function statisticsOf(records: TrafficRecord[]): Statistics {
  const gathering = gatherStatistics();
  records.forEach(gathering.add);
  return gathering.statistics();
}
