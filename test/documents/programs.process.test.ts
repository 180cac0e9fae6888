import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { CSV_HEADER } from "../../data/formats/csv.ts";
import { readSeed } from "../data/input.ts";
import { makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { loadInto, useWorker } from "../worker.ts";
import { listCodeBlocks } from "./documentation.ts";

const { folder, write, run: runLocal } = createDataFolder();
const worker = useWorker();
beforeAll(async () => void (await loadInto(worker.env, "d1", makeRecords(640))));

const INTERPRETERS = { js: [process.execPath, "--input-type=module"], python: ["python3"] };

/** Runs the program with a text that a page shows in a language, in the folder and with the worker of this test. */
function run(page: string, language: keyof typeof INTERPRETERS, part: string, check = ""): string {
  const programs = listCodeBlocks(page, language).filter((program) => program.includes(part));
  expect(programs).toHaveLength(1);
  const [command = "", ...args] = INTERPRETERS[language];
  const { status, stdout, stderr } = spawnSync(command, [...args, "-"], {
    cwd: folder,
    input: programs.join("").replaceAll("http://localhost:8787", worker.origin) + check,
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
    await write("everything.csv", seed);
    const check = `
assert len(records) == 40_614, len(records)
assert len(records) - len(working) == ${seed.filter(({ camera_ok }) => camera_ok === "False").length}, len(working)
assert f'{camera["cars"].mean():.2f}' == "2.94", camera["cars"].mean()
`;
    const means = run("docs/data.md", "python", "everything.csv", check).match(/^\d+ +\d+\.\d+$/gm) ?? [];
    const hour = seed.filter(
      ({ camera_ref, camera_ok, timestamp }) =>
        camera_ref === "pd3p3" && camera_ok !== "False" && timestamp.includes("T07:"),
    );
    const mean = hour.reduce((sum, { cars }) => sum + cars, 0) / hour.length;
    expect(means).toHaveLength(24);
    expect(Number(means[7]?.split(/ +/)[1])).toBeCloseTo(mean, 5);
    const { stdout, stderr } = await runLocal("load", `${folder}/working.csv`);
    const working = seed.filter(({ camera_ok }) => camera_ok !== "False");
    expect({ stdout, stderr }).toEqual({ stdout: `Loaded ${working.length} records.\n`, stderr: "" });
  },
);

for (const [language, file, canRun] of [
  ["js", "records.jsonl", true],
  ["python", "records.csv", hasModule("pandas")],
] as const)
  test.runIf(canRun)(`a file with other columns becomes a records file, in ${language}`, async () => {
    await write("sensors.csv", String(listCodeBlocks("docs/data.md", "")[1]));
    run("docs/data.md", language, "sensors.csv");
    expect(await runLocal("load", join(folder, file), "--strict")).toMatchObject({ status: 0, stderr: "" });
    expect((await runLocal("export")).stdout).toBe(`${CSV_HEADER}\
3,1,North Gate,2025-10-29T07:30:00Z,True,15,0,4,0,0,0,tf1
1,1,North Gate,2025-10-29T07:00:00Z,True,12,0,3,0,0,0,tf1
2,2,South Gate,2025-10-29T07:00:00Z,True,7,0,0,0,0,0,tf1
`);
  });

test.runIf(hasModule("requests"))("a client that retries gets its page", () => {
  expect(run("docs/faults.md", "python", "Retry")).toBe("15 records\n");
});

test("a crawl that fails in its middle loses nothing", () => {
  expect(run("docs/faults.md", "js", "body=cut")).toBe("60 records\n");
});
