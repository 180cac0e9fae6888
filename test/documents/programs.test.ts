import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { readSeed } from "../data/input.ts";
import { makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { loadInto, useWorker } from "../worker.ts";
import { listCodeBlocks } from "./documentation.ts";

const { folder, write, run: runLocal } = createDataFolder();
const worker = useWorker();
beforeAll(async () => void (await loadInto(worker.env, "d1", makeRecords(640))));

const INTERPRETERS = { js: [process.execPath, "--input-type=module"], python: ["python3"] };

/** Runs the only program that a page shows in a language, in the folder and with the worker of this test. */
function run(page: string, language: keyof typeof INTERPRETERS, check = ""): string {
  const programs = listCodeBlocks(page, language);
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
    const means = run("docs/data.md", "python", check).match(/^\d+ +\d+\.\d+$/gm) ?? [];
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

test.runIf(hasModule("requests"))("a client that retries gets its page", () => {
  expect(run("docs/mock.md", "python")).toBe("15 records\n");
});

test("a crawl that fails in its middle loses nothing", () => {
  expect(run("docs/mock.md", "js")).toBe("60 records\n");
});
