import type { TrafficRecord } from "../../src/records/record.ts";
import type { StateStatistics } from "../../src/store/store.ts";
import type { Place, Problem } from "../formats/problem.ts";

/** The loaded collection to which records are appended. */
export interface AppendBase extends StateStatistics {
  /** Skips records that are not newer, if they are loaded. Otherwise, every record that is not newer is a problem. */
  skipKnown: boolean;
  /** Reads the loaded records from this timestamp on, and possibly some older ones, oldest first. By default all. */
  read(since?: string): AsyncIterable<TrafficRecord>;
}

/** The problem of a record that cannot be placed after all loaded records. */
export function describeNotNewer({ file, line }: Place, timestamp: string, newest: string): Problem {
  const message = `is not later than ${JSON.stringify(newest)}, the newest loaded timestamp`;
  return { file, line, field: "timestamp", value: timestamp, message };
}
