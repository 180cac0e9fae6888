import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { NO_COUNTS } from "../../src/records/record.ts";
import { formatCsv, makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { loadInto, useWorker } from "../worker.ts";
import { listCodeBlocks } from "./documentation.ts";

const { folder, write } = createDataFolder();
const worker = useWorker();
beforeAll(async () => void (await loadInto(worker.env, "d1", makeRecords(640))));

const INTERPRETERS = { js: [process.execPath, "--input-type=module"], python: ["python3"] };

/** Runs the script of a page that contains a string, in the folder and with the worker of this test. */
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
  "pandas removes failing cameras, and keeps the names of cameras",
  async () => {
    const [first, ...others] = makeRecords(6).map((record, index) => ({
      ...record,
      camera_ref: ["NA", "0012", "a,b"][index % 3]!,
      camera_ok: index < 3 ? null : ("True" as const),
    }));
    const failed = { ...first!, ...NO_COUNTS, camera_ok: "False" as const };
    for (const working of [others, others.filter(({ camera_ok }) => camera_ok === null)]) {
      await write("everything.csv", [failed, ...working]);
      run("docs/data.md", "python", "everything.csv");
      expect(await readFile(join(folder, "working.csv"), "utf8")).toBe(formatCsv(working));
    }
  },
);

test.runIf(hasModule("requests"))("a client that retries gets its page", () => {
  expect(run("docs/faults.md", "python", "Retry")).toBe("15 records\n");
});

test("a crawl that fails in its middle loses nothing", () => {
  expect(run("docs/faults.md", "js", "body=cut")).toBe("60 records\n");
});

test("a client with a timeout does not wait for a hanging response", () => {
  expect(run("docs/faults.md", "js", "prefer=hang")).toBe("TimeoutError\n");
});
