import { Readable } from "node:stream";
import { formatProblem } from "../../../data/sources/problem.ts";
import { readSource } from "../../../data/sources/recognise.ts";
import type { Row, Source } from "../../../data/sources/source.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";

export const FIELDS =
  "id,camera_pk,camera_ref,timestamp,camera_ok,cars,persons,bicycles,trucks,motorcycles,buses,model_name";

export const REPORT_COLUMNS =
  "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** A valid record with the given fields. */
export function makeRecord(fields: Partial<TrafficRecord> = {}): TrafficRecord {
  return {
    id: 1,
    camera_pk: 7,
    camera_ref: "a33",
    timestamp: "2019-02-28T10:00:00Z",
    camera_ok: null,
    cars: 3,
    persons: 2,
    bicycles: 1,
    trucks: 0,
    motorcycles: 0,
    buses: 0,
    model_name: "tf1",
    ...fields,
  };
}

/** Takes what comes bit by bit, gives all of it. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Takes a text, gives its bytes in chunks of this size. */
export function cutBytes(text: string, size = 1 << 16): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

/** Takes the text or the chunks of a file, gives its rows. */
export async function readRows(input: string | Buffer[], modelName?: Source["modelName"]): Promise<Row[]> {
  const chunks = typeof input === "string" ? [Buffer.from(input)] : input;
  return collect(readSource({ file: "-", modelName }, Readable.from(chunks)));
}

/** Takes the text or the chunks of a file, gives its records, without the numbers of a report. Throws problems. */
export async function readRecords(input: string | Buffer[], modelName?: Source["modelName"]) {
  return (await readRows(input, modelName)).map((row) => {
    if ("problems" in row) throw new Error(row.problems.map(formatProblem).join("\n"));
    return "record" in row ? row.record : row.observation;
  });
}

/** Takes the text or the chunks of a file, gives its problems as they are shown. */
export async function readProblems(input: string | Buffer[], modelName?: Source["modelName"]) {
  const rows = await readRows(input, modelName);
  return rows.flatMap((row) => ("problems" in row ? row.problems.map(formatProblem) : []));
}
