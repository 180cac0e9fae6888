import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeParquet } from "../../../data/formats/parquet.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { collect } from "../../data/formats/read-input.ts";
import { makeRecords } from "../../records/sample.ts";
import { type RunningWorker, startWorker } from "../../worker.ts";
import { createLocalStore } from "./local-store.ts";

const records = makeRecords(640).map((record, index) => ({
  ...record,
  id: index === 0 ? -Number.MAX_SAFE_INTEGER : record.id,
  camera_ref: record.camera_ref === "c94" ? 'c, "94" ü' : record.camera_ref,
}));

const local = createLocalStore();
let server: RunningWorker;
beforeAll(async () => {
  const file = await local.write("records.csv", records);
  expect((await local.run("load", file)).stdout).toBe("Loaded 640 records.\n");
  const outputs = { csv: "everything.csv", parquet: "everything.parquet", pages: "pages.jsonl" };
  for (const [format, name] of Object.entries(outputs)) {
    const { stdout } = await local.run("export", "--format", format, "--out", join(local.folder, name));
    expect(stdout).toBe("Exported 640 records.\n");
  }
  server = await startWorker({ folder: local.folder });
});
afterAll(async () => {
  await server?.close();
});

/** The records of a Parquet file. */
async function readParquet(path: string): Promise<TrafficRecord[]> {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  return rows.map((row) => {
    const entries = Object.entries(row).map(([name, value]) => {
      if (typeof value === "bigint") return [name, Number(value)];
      return [name, value instanceof Date ? value.toISOString().replace(".000", "") : value];
    });
    return Object.fromEntries(entries);
  });
}

test("an export as Parquet has all records, in their order and with their types", async () => {
  const path = join(local.folder, "everything.parquet");
  expect(await readParquet(path)).toStrictEqual(records);
  const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  expect(schema.find(({ name }) => name === "timestamp")).toMatchObject({
    type: "INT64",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  });
  expect(schema.filter(({ repetition_type }) => repetition_type === "OPTIONAL")).toMatchObject([
    { name: "camera_ok" },
  ]);
});

test("a large export as Parquet is written one row group at a time", async () => {
  const many = makeRecords(130_000);
  const chunks = await collect(writeParquet(many));
  expect(chunks.length).toBeGreaterThan(2);
  const path = join(local.folder, "large.parquet");
  await writeFile(path, Buffer.concat(chunks));
  const rows = await readParquet(path);
  expect(rows.length).toBe(many.length);
  expect([rows[0], rows[70_000], rows.at(-1)]).toStrictEqual([many[0], many[70_000], many.at(-1)]);
});

const documentation = await readFile("docs/data.md", "utf8");

/** The program that the documentation shows in this language, changed to use the server of this test. */
function findProgram(language: string): string {
  const [, program = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(documentation) ?? [];
  expect(program).toContain("everything.csv");
  return program.replaceAll("http://localhost:8787", server.origin);
}

/** Runs a program in the folder of the exports. */
function run(command: string, program: string): string {
  const { status, stdout, stderr } = spawnSync(command, ["-"], {
    cwd: local.folder,
    input: program,
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

function canRun(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/** The sums that all programs print. */
const sums = Object.entries(Object.groupBy(records, ({ camera_ref }) => camera_ref)).map(
  ([ref, some]) => [ref, some!.reduce((sum, { cars }) => sum + cars, 0)] as const,
);

/** Each program runs only if its library is installed on this machine. */
describe("the programs in the documentation print the sums of cars:", () => {
  test.runIf(canRun("python3", "-c", "import pandas"))("pandas", () => {
    const check = `
assert len(pages) == len(records) == 640, (len(pages), len(records))
assert str(pages["timestamp"].dtype) == str(records["timestamp"].dtype), (pages.dtypes, records.dtypes)
assert (pages.iloc[::-1].reset_index(drop=True).fillna("") == records.fillna("")).all().all()
`;
    const printed = run("python3", findProgram("python") + check);
    for (const [ref, cars] of sums) expect(printed).toMatch(new RegExp(`${ref} +${cars}`));
  });

  test.runIf(canRun("python3", "-c", "import duckdb"))("DuckDB", () => {
    const program = `import duckdb
for statement in ${JSON.stringify(findProgram("sql"))}.strip().split("\\n"):
    for row in duckdb.sql(statement).fetchall():
        print(*row, sep="|")`;
    const lines = run("python3", program).trimEnd().split("\n");
    expect(lines).toHaveLength(3 * sums.length);
    for (const [ref, cars] of sums) expect(lines.filter((line) => line === `${ref}|${cars}`)).toHaveLength(3);
  });

  test.runIf(canRun("Rscript", "-e", "library(jsonlite)"))("R", () => {
    const check = "\nstopifnot(nrow(pages) == 640, nrow(records) == 640, !anyNA(records$timestamp))\n";
    const printed = run("Rscript", findProgram("r") + check);
    for (const [ref, cars] of sums) expect(printed).toMatch(new RegExp(`${ref} +${cars}`));
  });
});
