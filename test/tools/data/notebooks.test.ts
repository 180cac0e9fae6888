import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { type RunningWorker, startWorker } from "../../worker.ts";
import { createDataFolder } from "./data-folder.ts";

const records = makeRecords(640).map((record, index) => ({
  ...record,
  id: index === 0 ? -Number.MAX_SAFE_INTEGER : record.id,
  camera_ref: record.camera_ref === "c94" ? 'c, "94" ü' : record.camera_ref,
}));

const local = createDataFolder();
let server: RunningWorker;
beforeAll(async () => {
  const file = await local.write("records.csv", records);
  expect((await local.run("load", file)).stdout).toBe("Loaded 640 records.\n");
  const { stdout } = await local.run("export", "--out", join(local.folder, "everything.csv"));
  expect(stdout).toBe("Exported 640 records.\n");
  server = await startWorker({ folder: local.folder });
});
afterAll(async () => {
  await server?.close();
});

const documentation = await readFile("docs/data.md", "utf8");

/** The programs that the documentation shows in this language: one that reads a service, and one that reads a file. */
function findPrograms(language: string): string[] {
  const programs = documentation.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return Array.from(programs, ([, program = ""]) =>
    program.replaceAll("http://localhost:8787", server.origin),
  );
}

/** Runs a program in the folder of the exports. */
function run(command: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, [...args, "-"], {
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

test("the program that reads a service writes a file that load reads", async () => {
  run(process.execPath, findPrograms("js")[0]!, "--input-type=module");
  expect(await createDataFolder().run("load", join(local.folder, "records.jsonl"), "--strict")).toEqual({
    status: 0,
    stdout: "Loaded 640 records.\n",
    stderr: "",
  });
});

/** The sums that all programs print. */
const sums = Object.entries(Object.groupBy(records, ({ camera_ref }) => camera_ref)).map(
  ([ref, some]) => [ref, some!.reduce((sum, { cars }) => sum + cars, 0)] as const,
);

describe("the programs in the documentation print the sums of cars:", () => {
  test.runIf(canRun("python3", "-c", "import pandas"))("pandas", () => {
    const check = `
assert len(records) == 640, len(records)
assert str(records["timestamp"].dtype).startswith("datetime64"), records.dtypes
`;
    const printed = run("python3", findPrograms("python")[1] + check);
    for (const [ref, cars] of sums) expect(printed).toMatch(new RegExp(`${ref} +${cars}`));
  });

  test.runIf(canRun("Rscript", "-e", "0"))("R", () => {
    const check = "\nstopifnot(nrow(records) == 640, !anyNA(records$timestamp))\n";
    const printed = run("Rscript", findPrograms("r")[1] + check);
    for (const [ref, cars] of sums) expect(printed).toMatch(new RegExp(`${ref} +${cars}`));
  });
});
