import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeProgress, runData, runProcess } from "../../support/run-command.ts";
import { createFolder } from "../../support/temporary-folder.ts";

const folder = createFolder();
const generate = (...args: string[]) => runData(["generate", ...args]);

test.each(["2019.csv", "2025.csv"])("the command in data/seed/README.md writes %s", async (file) => {
  const commands = await readFile("data/seed/README.md", "utf8");
  const [, options = ""] = new RegExp(`generate (.*) --out data/seed/${file}`).exec(commands) ?? [];
  await generate(...options.split(" "), "--out", join(folder, file));
  const written = await readFile(join(folder, file), "utf8");
  expect(written === (await readFile(join("data/seed", file), "utf8"))).toBe(true);
});

const PRINTING = ["generate --records 10", "generate --records 100000", "--help"];

// macOS has no such file.
test.runIf(existsSync("/dev/full")).each(PRINTING)("%s reports a full disk", async (command) => {
  const script = `exec "$0" tools/data/data-command.ts ${command} > /dev/full`;
  const { status, stderr } = await runProcess("sh", ["-c", script, process.execPath]);
  const message = "Standard output cannot be written: the disk is full\n";
  expect([status, removeProgress(stderr)]).toEqual([2, message]);
});

test.each([
  ["--records 1 --out FOLDER/x.jsonl", "Add --format jsonl"],
  ["--records 1 --out FOLDER/x.JSON.gz", "Add --format jsonl"],
  ["--records 1 --format jsonl --out FOLDER/x.csv", "Add --format csv"],
  ["--to 2019-01-01T00:00:01Z --out FOLDER/x.csv", "No camera has a record in this period"],
])("generate refuses %s, and writes no file", async (options, problem) => {
  const { status, stderr } = await generate(...options.replace("FOLDER", folder).split(" "));
  expect([status, stderr]).toEqual([1, expect.stringContaining(problem)]);
  expect((await readdir(folder)).filter((name) => name.startsWith("x."))).toEqual([]);
});
