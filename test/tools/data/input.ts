import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { vi } from "vitest";
import type { TrafficRecord } from "../../../src/records/schema.ts";
import { readInputFile } from "../../../tools/data/formats/formats.ts";
import type { InputFile } from "../../../tools/data/formats/input-file.ts";
import { formatProblem, InputError } from "../../../tools/data/formats/problem.ts";
import type { InputRow } from "../../../tools/data/formats/validation.ts";
import { listSampleFiles } from "../../../tools/data/sample-data.ts";
import { decodeContent } from "../../../tools/data/snapshot-content.ts";
import {
  describeCounts,
  type StagedRecords,
  type StageOptions,
  stageFiles,
} from "../../../tools/data/staging/staging.ts";
import { createFolder } from "../../support/temporary-folder.ts";

export const FIELDS =
  "id,camera_pk,camera_ref,timestamp,camera_ok,cars,persons,bicycles,trucks,motorcycles,buses,model_name";

export const REPORT_COLUMNS =
  "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** Creates a valid record with the given fields. */
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

/** Formats a report with these rows. */
export function formatReport(...rows: string[]): string {
  return [REPORT_COLUMNS, ...rows, ""].join("\n");
}

/** Splits a string or bytes into chunks of this size. */
export function cutBytes(input: string | Buffer, size = 1 << 16): Buffer[] {
  const bytes = Buffer.from(input);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

/** Replaces the standard input of this process. */
export function replaceStandardInput(stream: Readable): void {
  vi.spyOn(process, "stdin", "get").mockReturnValue(stream as typeof process.stdin);
}

/** Reads the rows of a file from its content. */
export async function readRows(
  input: string | Buffer[],
  modelName?: InputFile["modelName"],
): Promise<InputRow[]> {
  replaceStandardInput(Readable.from(typeof input === "string" ? [Buffer.from(input)] : input));
  return (await Array.fromAsync(readInputFile({ file: "-", modelName }))).flat();
}

/** Reads the problems of a file, formatted as in messages. */
export async function readProblems(input: string | Buffer[], modelName?: InputFile["modelName"]) {
  const rows = await readRows(input, modelName);
  return rows.flatMap((row) => ("problems" in row ? row.problems.map(formatProblem) : []));
}

const folder = createFolder();

/** The contents of files, by their names; `-` is standard input. An array contains the fields of records. */
export type Contents = Record<string, string | Buffer | Partial<TrafficRecord>[]>;

/** Stages files. Returns the messages of `load`, and the records, oldest first. */
export async function stageContents(contents: Contents, options: StageOptions = {}) {
  const warnings: string[] = [];
  const warn = (line: string) => warnings.push(hideFolder(line));
  const { "-": input = "", ...files } = contents;
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), toBytes(content));
  const paths = Object.keys(contents).map((name) => (name === "-" ? name : join(folder, name)));
  replaceStandardInput(Readable.from([toBytes(input)]));
  const staged = await stageFiles(paths, { warn, ...options });
  return { summary: describeCounts(staged), warnings, records: readStagedRecords(staged) };
}

/** Finds the problems of files, as lines of a message. */
export async function findProblems(contents: Contents, options?: StageOptions): Promise<string[]> {
  const error = await stageContents(contents, options).catch((error) => error);
  if (!(error instanceof Error)) return [];
  if (!(error instanceof InputError)) throw error;
  const lines = hideFolder(error.message).split("\n");
  if (lines.pop() !== "Nothing was loaded.") throw error;
  return lines;
}

const hideFolder = (text: string) => text.replaceAll(`${folder}/`, "");

/** Reads the staged records, oldest first, and then deletes them from disk. */
function readStagedRecords(staged: StagedRecords): TrafficRecord[] {
  const records = decodeContent(staged);
  staged.close();
  return records.reverse();
}

/** Reads the records of the sample data, oldest first. */
export async function readSampleData(): Promise<TrafficRecord[]> {
  return readStagedRecords(await stageFiles(listSampleFiles(), { strict: true }));
}

function toBytes(content: Contents[string]): Buffer {
  if (Buffer.isBuffer(content)) return content;
  if (typeof content === "string") return Buffer.from(content);
  return Buffer.from(content.map((fields) => `${JSON.stringify(makeRecord(fields))}\n`).join(""));
}
