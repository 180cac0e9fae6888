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
}

/**
 * One image in the detection engine's report. A report has no `id` and no `camera_pk`; the load assigns both when it has
 * read all observations.
 */
export type Observation = Omit<TrafficRecord, "id" | "camera_pk"> & {
  /** When the image was processed: ISO 8601 in UTC with milliseconds, so that text order is time order. */
  processed_at: string;
};

export interface ObservationRow extends Place {
  observation: Observation;
}

/** What reading a file yields for each record, in the order of the file. */
export type Row = RecordRow | ObservationRow | { problems: Problem[] };
