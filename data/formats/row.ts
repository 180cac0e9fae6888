import type { TrafficRecord } from "../../src/records/record.ts";
import type { Place, Problem } from "./problem.ts";

/** A file to read. */
export interface Source {
  /** A path; `-` is standard input. */
  file: string;
  /** Replaces the model name of every record. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /** Called with each chunk of bytes, as they are in the file. */
  onRead?: ((chunk: Uint8Array) => void) | undefined;
  /** Called with each page. */
  onPage?: ((page: { count?: unknown }) => void) | undefined;
}

/** A valid record that has not been compared with the other records of the load. */
export interface RecordRow extends Place {
  record: TrafficRecord;
  /**
   * Only of an image in the detection engine's report: when it was processed, ISO 8601 in UTC with milliseconds, so that text order
   * is time order. Its `id` and its `camera_pk` are 0: the load assigns both when it has read all images.
   */
  processedAt?: string;
}

/** What reading a file yields for each record, in the order of the file. */
export type Row = RecordRow | { problems: Problem[] };
