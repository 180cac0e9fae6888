import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { stageFiles } from "../../data/input.ts";
import { runData } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";

const folder = createFolder();
const generate = (...args: string[]) => runData(["generate", ...args]);
const listFiles = async (start: string) => (await readdir(folder)).filter((name) => name.startsWith(start));

test("generate writes the same records in every format, and others for another random seed", async () => {
  const read = async (...args: string[]) => {
    const size = ["--records", "120", "--cameras", "5", "--interval", "1h"];
    const { stdout } = await generate(...size, ...args);
    return (await stageFiles({ a: stdout }, { strict: true })).records;
  };
  const records = await read();
  expect(records).toHaveLength(120);
  expect(new Set(records.map(({ camera_pk }) => camera_pk)).size).toBe(5);
  expect(await read("--format", "jsonl")).toEqual(records);
  expect(await read("--seed", "2")).not.toEqual(records);
});

test("generate leaves no file if it is interrupted by SIGHUP", async () => {
  const args = ["generate", "--records", "100000000", "--out", join(folder, "stopped")];
  const child = spawn(process.execPath, ["tools/data/data-command.ts", ...args], { stdio: "ignore" });
  while ((await listFiles("stopped")).length === 0) await setTimeout(10);
  child.kill("SIGHUP");
  expect((await once(child, "close"))[0]).toBe(129);
  expect(await listFiles("stopped")).toEqual([]);
});

test("generate writes no file if the year 9999 ends too early", async () => {
  const period = ["--from", "9999-12-31T23:00:00Z", "--cameras", "2", "--records", "100"];
  const { status, stderr } = await generate(...period, "--out", join(folder, "late.csv"));
  expect(stderr).toMatch(/^The year 9999 ends after [1-4] records, but --records is 100\.\n$/);
  expect(status).toBe(1);
  expect(await listFiles("late")).toEqual([]);
});
