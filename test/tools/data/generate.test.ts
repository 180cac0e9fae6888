import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { stageFiles } from "../../data/input.ts";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";

const folder = createFolder();
const generate = (...args: string[]) => runData(["generate", ...args]);
const listFiles = async (start: string) => (await readdir(folder)).filter((name) => name.startsWith(start));

test("generate writes the seed", async () => {
  const { stdout } = await generate("--from", "2019-05-17", "--to", "2019-05-18");
  expect(stdout).toBe(await readFile("data/seed/2019-05-17.csv", "utf8"));
});

test("generate only adds lines to the file if more records are requested", async () => {
  const [few, many] = await Promise.all([generate("--records", "500"), generate("--records", "1000")]);
  expect(many.stdout.startsWith(few.stdout)).toBe(true);
  expect(few.stdout.trimEnd().split("\n")).toHaveLength(501);
});

test("generate writes the same records in every format, and others for another random seed", async () => {
  const read = async (...args: string[]) => {
    const size = ["--records", "120", "--cameras", "5", "--interval", "1h"];
    const { stdout } = await generate(...size, ...args);
    const { records } = await stageFiles({ a: stdout }, { strict: true });
    return records;
  };
  const records = await read();
  expect(records).toHaveLength(120);
  expect(new Set(records.map(({ camera_pk }) => camera_pk)).size).toBe(5);
  expect(await read("--format", "jsonl")).toEqual(records);
  expect(await read("--seed", "2")).not.toEqual(records);
});

test("generate leaves no file if it is interrupted by SIGHUP", async () => {
  const args = ["tools/data/cli.ts", "generate", "--records", "100000000", "--out", join(folder, "stopped")];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
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

test.each([
  ["", "--records or --to is required"],
  ["--records 0", "'--records <n>' argument '0' is invalid. It must be a whole number, 1 or more."],
  ["--to 2019-02-30", "'--to <date>' argument '2019-02-30' is invalid. It must be a date in UTC"],
  ["--from 2020-01-01 --to 2020-01-01", "--to must be later than --from"],
  ["--from 2018-12-31 --records 1", "--from must be 2019-01-01 or later"],
  ["--to 2019-01-01", "--to must be later than --from, which is 2019-01-01 by default"],
  ["--records 1 --interval 99999999999999999999h", "--interval must be at most 8760h (one year)"],
  ["--records 1 --interval 30", "It must be a number of minutes or hours, such as 30m or 1h."],
  ["--records 1 --format xml", "Allowed choices are csv, jsonl."],
])("generate refuses the options %j", async (args, message) => {
  const { status, stderr } = await generate(...(args === "" ? [] : args.split(" ")));
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});

test("check counts the records that can be loaded, and reports the same problems as load", async () => {
  const checked = await runData(["check", "data/seed/2019-05-17.csv"]);
  expect(checked).toEqual({ status: 0, stderr: "", stdout: "4084 records can be loaded.\n" });
  const stderr = '-:1: id "x" is not a whole number\nThey cannot be loaded.\n';
  const record = { ...makeRecords(1)[0], id: "x" };
  expect(await runData(["check", "-"], JSON.stringify(record))).toEqual({ status: 1, stdout: "", stderr });
});
