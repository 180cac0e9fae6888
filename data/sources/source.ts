import type { TrafficRecord } from "../../src/records/record.ts";
import type { Block } from "./blocks.ts";

/** Where something stands in the input: the file as the user named it (`-` is standard input), line from 1. */
export interface Place {
  file: string;
  line: number;
}

/** What is wrong: in which field, if it is one, and with which value. */
export interface ProblemDetail {
  field?: string;
  value?: unknown;
  message: string;
}

/** Why a file cannot be loaded. Line 0 is the file as a whole. */
export interface Problem extends Place, ProblemDetail {}

/**
 * What the detection engine's report says of one image. It has no `id` and no `camera_pk`: both follow from
 * the order of all observations of a load.
 */
export type Observation = Omit<TrafficRecord, "id" | "camera_pk"> & {
  /** When the image was processed, ISO 8601 in UTC with milliseconds, so that text order is time order. */
  processed_at: string;
};

/** A record as a source gives it, valid in itself and not yet compared with the others of the load. */
export interface RecordRow extends Place {
  record: TrafficRecord;
}

export interface ObservationRow extends Place {
  observation: Observation;
}

/** What a reader yields for each record of its input, in the order of the input. */
export type Row = RecordRow | ObservationRow | { problems: Problem[] };

/** What a reader knows besides the text. */
export interface Source {
  file: string;
  /** The model to serve every record as, whatever the input says. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /** Called with the number of bytes of each piece of the file. */
  onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reads one format. Yields a problem for what is wrong in a record and goes on; throws `Unreadable` where it
 * cannot go on.
 */
export type Reader = (blocks: AsyncIterable<Block>, source: Source) => AsyncIterable<Row>;
