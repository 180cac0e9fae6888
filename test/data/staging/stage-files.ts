import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { formatProblem } from "../../../data/formats/problem.ts";
import { type Staged, type StageOptions, stage } from "../../../data/staging.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { decodeRange, openBlock } from "../../../src/store/block.ts";
import { createFolder } from "../../temporary-folder.ts";
import { makeRecord, REPORT_COLUMNS } from "../formats/read-input.ts";

/** The content of a file: text, bytes, or records with these fields. */
type Content = string | Buffer | Partial<TrafficRecord>[];

/** Stages files, given by name; `-` is standard input. */
export async function stageFiles(contents: Record<string, Content>, options: Partial<StageOptions> = {}) {
  const folder = createFolder();
  const { "-": input = "", ...files } = contents;
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), toBytes(content));
  const paths = Object.keys(contents).map((name) => (name === "-" ? name : join(folder, name)));
  const staged = await stage(paths, { strict: false, stdin: Readable.from([toBytes(input)]), ...options });
  try {
    const { count, zeroed, duplicates, problemCount } = staged;
    const problems = staged.problems.map((problem) => formatProblem(problem).replaceAll(`${folder}/`, ""));
    const records = problemCount > 0 ? [] : listRecords(staged);
    return { count, zeroed, duplicates, problemCount, problems, records };
  } finally {
    staged.close();
  }
}

/** The staged records, oldest first. */
export function listRecords({ count, blocks }: Staged): TrafficRecord[] {
  const state = { load: "", count };
  const opened = Array.from(blocks(), ({ number, text }) => openBlock(state, number, text));
  return decodeRange(
    { first: 1, last: count },
    new Map(opened.map((lines, index) => [index + 1, lines])),
  ).reverse();
}

function toBytes(content: Content): Buffer {
  if (Buffer.isBuffer(content)) return content;
  if (typeof content === "string") return Buffer.from(content);
  return Buffer.from(content.map((fields) => `${JSON.stringify(makeRecord(fields))}\n`).join(""));
}

/** The text of a report with these rows. */
export function writeReport(...rows: string[]): string {
  return [REPORT_COLUMNS, ...rows, ""].join("\n");
}

/** Noon on a day of February 2019. */
export function noon(day: number): string {
  return `2019-02-0${day}T12:00:00Z`;
}
