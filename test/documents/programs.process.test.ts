import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { NO_COUNTS } from "../../src/records/record.ts";
import { readSeed } from "../data/input.ts";
import { formatCsv, makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { loadInto, useWorker } from "../worker.ts";
import { listCodeBlocks } from "./documentation.ts";

const { folder, write, run: runLocal } = createDataFolder();
const worker = useWorker();
beforeAll(async () => void (await loadInto(worker.env, "d1", makeRecords(640))));

const INTERPRETERS = { js: [process.execPath, "--input-type=module"], python: ["python3"] };

/** Runs the program with a text that a page shows in a language, in the folder and with the worker of this test. */
function run(page: string, language: keyof typeof INTERPRETERS, part: string): string {
  const programs = listCodeBlocks(page, language).filter((program) => program.includes(part));
  expect(programs).toHaveLength(1);
  const [command = "", ...args] = INTERPRETERS[language];
  const { status, stdout, stderr } = spawnSync(command, [...args, "-"], {
    cwd: folder,
    input: programs.join("").replaceAll("http://localhost:8787", worker.origin),
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

const hasModule = (name: string) => spawnSync("python3", ["-c", `import ${name}`]).status === 0;

test.runIf(hasModule("pandas"))(
  "pandas computes means without failing cameras, and writes what load reads",
  async () => {
    const seed = await readSeed();
    const withNumericNames = ["0012", "NA"].map((camera_ref, index) => ({
      ...makeRecords(1)[0]!,
      ...{ id: 100_000 + index, camera_pk: 1000 + index, camera_ref },
    }));
    await write("everything.csv", [...seed, ...withNumericNames]);
    const means = run("docs/data.md", "python", "everything.csv").match(/^\d+ +\d+\.\d+$/gm) ?? [];
    const hour = seed.filter(
      ({ camera_ref, camera_ok, timestamp }) =>
        camera_ref === "pd3p3" && camera_ok !== "False" && timestamp.includes("T07:"),
    );
    const mean = hour.reduce((sum, { cars }) => sum + cars, 0) / hour.length;
    expect(means).toHaveLength(24);
    expect(Number(means[7]?.split(/ +/)[1])).toBeCloseTo(mean, 5);
    const working = [...seed, ...withNumericNames].filter(({ camera_ok }) => camera_ok !== "False");
    expect(await readFile(join(folder, "working.csv"), "utf8")).toBe(formatCsv(working));
    const { stdout, stderr } = await runLocal("load", join(folder, "working.csv"));
    expect({ stdout, stderr }).toEqual({ stdout: `Loaded ${working.length} records.\n`, stderr: "" });
  },
);

test.runIf(hasModule("pandas"))("pandas leaves cameras with numbers for names as they are", async () => {
  const records = makeRecords(3).map((record) => ({ ...record, camera_ref: `00${record.camera_pk}` }));
  const known = records.map((record) => ({ ...record, camera_ok: "True" as const }));
  const failed = {
    ...known[0]!,
    ...NO_COUNTS,
    id: 9,
    timestamp: "2019-01-01T00:00:00Z",
    camera_ok: "False" as const,
  };
  await write("everything.csv", [...known, failed]);
  run("docs/data.md", "python", "everything.csv");
  expect(await readFile(join(folder, "working.csv"), "utf8")).toBe(formatCsv(known));
});

test.runIf(hasModule("requests"))("a client that retries gets its page", () => {
  expect(run("docs/faults.md", "python", "Retry")).toBe("15 records\n");
});

test("a crawl that fails in its middle loses nothing", () => {
  expect(run("docs/faults.md", "js", "body=cut")).toBe("60 records\n");
});
