import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listBlocks } from "./documentation.ts";
import { makeRecords } from "./records/sample.ts";
import { createDataFolder } from "./tools/data/data-folder.ts";
import { type RunningWorker, startWorker } from "./worker.ts";

const records = makeRecords(640).map((record, index) => ({
  ...record,
  id: index === 0 ? -Number.MAX_SAFE_INTEGER : record.id,
  camera_ref: record.camera_ref === "c94" ? 'c, "94" ü' : record.camera_ref,
}));

const { folder, write, run: runData } = createDataFolder();
let server: RunningWorker;
beforeAll(async () => {
  await runData("load", await write("records.csv", records));
  const { stdout } = await runData("export", "--out", join(folder, "everything.csv"));
  expect(stdout).toBe("Exported 640 records.\n");
  server = await startWorker({ folder });
});
afterAll(() => server?.close());

/** Runs the last program that docs/data.md shows in a language, in the folder of the export and with the server of this test. */
function run(language: string, command: string, { args = [] as string[], check = "" } = {}): string {
  const program = listBlocks("docs/data.md", language).at(-1) ?? "";
  const input = program.replaceAll("http://localhost:8787", server.origin) + check;
  const { status, stdout, stderr } = spawnSync(command, [...args, "-"], {
    cwd: folder,
    input,
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

const canRun = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

test("the program that reads a service writes a file that load reads", async () => {
  run("js", process.execPath, { args: ["--input-type=module"] });
  const loaded = await createDataFolder().run("load", join(folder, "records.jsonl"), "--strict");
  expect(loaded).toEqual({ status: 0, stdout: "Loaded 640 records.\n", stderr: "" });
});

describe("the programs in the documentation print the sums of cars:", () => {
  function expectSums(printed: string): void {
    for (const [ref, some = []] of Map.groupBy(records, ({ camera_ref }) => camera_ref))
      expect(printed).toMatch(new RegExp(`${ref} +${some.reduce((sum, { cars }) => sum + cars, 0)}`));
  }

  test.runIf(canRun("python3", "-c", "import pandas"))("pandas", () => {
    const check = `
assert len(records) == 640, len(records)
assert str(records["timestamp"].dtype).startswith("datetime64"), records.dtypes
`;
    expectSums(run("python", "python3", { check }));
  });

  test.runIf(canRun("Rscript", "-e", "0"))("R", () => {
    const check = "\nstopifnot(nrow(records) == 640, !anyNA(records$timestamp))\n";
    expectSums(run("r", "Rscript", { check }));
  });
});
