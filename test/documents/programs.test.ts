import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeed } from "../data/input.ts";
import { makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { type RunningWorker, startWorker } from "../worker.ts";
import { listCodeBlocks } from "./documentation.ts";

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

const INTERPRETERS = { js: [process.execPath, "--input-type=module"], python: ["python3"] };

/** Runs the only program that a page shows in a language, in the folder of the export and with the server of this test. */
function run(page: string, language: keyof typeof INTERPRETERS, check = ""): string {
  const programs = listCodeBlocks(page, language);
  expect(programs).toHaveLength(1);
  const [command = "", ...args] = INTERPRETERS[language];
  const { status, stdout, stderr } = spawnSync(command, [...args, "-"], {
    cwd: folder,
    input: programs.join("").replaceAll("http://localhost:8787", server.origin) + check,
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

const hasModule = (name: string) => spawnSync("python3", ["-c", `import ${name}`]).status === 0;

test("the program that reads a service writes a file that load reads", async () => {
  run("docs/data.md", "js");
  const loaded = await createDataFolder().run("load", join(folder, "records.jsonl"), "--strict");
  expect(loaded).toEqual({ status: 0, stdout: "Loaded 640 records.\n", stderr: "" });
});

test.runIf(hasModule("pandas"))("pandas computes means of an export without failing cameras", async () => {
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
});

test.runIf(hasModule("requests"))("a client that retries gets its page", () => {
  expect(run("docs/mock.md", "python")).toBe("15 records\n");
});

test("a crawl that fails in its middle loses nothing", () => {
  expect(run("docs/mock.md", "js")).toBe("60 records\n");
});
