import { Readable } from "node:stream";
import { readSource } from "../../../data/formats/formats.ts";
import { formatProblem } from "../../../data/formats/problem.ts";
import type { Row, Source } from "../../../data/formats/row.ts";
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

/** Collects all items in an array. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Splits a text or bytes into chunks of this size. */
export function cutBytes(input: string | Buffer, size = 1 << 16): Buffer[] {
  const bytes = Buffer.from(input);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

/** Reads the rows of a file from its text or its chunks. */
export async function readRows(input: string | Buffer[], modelName?: Source["modelName"]): Promise<Row[]> {
  const chunks = typeof input === "string" ? [Buffer.from(input)] : input;
  return (await collect(readSource({ file: "-", modelName }, Readable.from(chunks)))).flat();
}

/** Reads the records or observations of a file. Throws if there are problems. */
export async function readRecords(input: string | Buffer[], modelName?: Source["modelName"]) {
  return (await readRows(input, modelName)).map((row) => {
    if ("problems" in row) throw new Error(row.problems.map(formatProblem).join("\n"));
    const { record, processedAt } = row;
    return processedAt === undefined ? record : { ...record, processedAt };
  });
}

/** Reads the problems of a file, as they are shown. */
export async function readProblems(input: string | Buffer[], modelName?: Source["modelName"]) {
  const rows = await readRows(input, modelName);
  return rows.flatMap((row) => ("problems" in row ? row.problems.map(formatProblem) : []));
}
