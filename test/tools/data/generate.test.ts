import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { stage } from "../../../data/staging.ts";
import { estimateTotal } from "../../../tools/data/generate.ts";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";

const folder = createFolder();

const generate = (...args: string[]) => runData(["generate", ...args]);

describe("generate", () => {
  test("writes the seed", async () => {
    const { stdout } = await generate("--from", "2019-05-17", "--to", "2019-05-18");
    expect(stdout).toBe(await readFile("data/seed/2019-05-17.csv", "utf8"));
  });

  test("only adds lines to the file if more records are requested", async () => {
    const [few, many] = await Promise.all([generate("--records", "500"), generate("--records", "1000")]);
    expect(many.stdout.startsWith(few.stdout)).toBe(true);
    expect(few.stdout.trimEnd().split("\n")).toHaveLength(501);
  });

  test("writes the same records in every format, and other records for another random seed", async () => {
    const staged = async (name: string, ...args: string[]) => {
      const file = join(folder, name);
      expect(
        (await generate("--records", "299", "--cameras", "5", "--interval", "1h", "--out", file, ...args))
          .status,
      ).toBe(0);
      const result = await stage([file], { strict: true });
      expect(result.problems).toEqual([]);
      return [...result.blocks()].map(({ text }) => text).join();
    };
    const csv = await staged("a.csv");
    expect(new Set(csv.match(/(?<=^\[\d+,)\d+/gm)).size).toBe(5);
    expect(await staged("a.jsonl", "--format", "jsonl")).toEqual(csv);
    expect(await staged("b.csv", "--seed", "2")).not.toEqual(csv);
  });

  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("leaves no file if it is interrupted by %s", async (signal, status) => {
    const file = join(folder, "stopped.csv");
    const args = ["tools/data/cli.ts", "generate", "--records", "100000000", "--out", file];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    const written = async () => (await readdir(folder)).filter((name) => name.startsWith("stopped"));
    while ((await written()).length === 0) await setTimeout(10);
    child.kill(signal);
    expect((await once(child, "close"))[0]).toBe(status);
    expect(await written()).toEqual([]);
  });

  test.each([
    [[], "--records or --to is required"],
    [["--records", "0"], "'--records <n>' argument '0' is invalid. It must be a whole number, 1 or more."],
    [["--to", "2019-02-30"], "'--to <date>' argument '2019-02-30' is invalid. It must be a date in UTC"],
    [["--from", "2020-01-01", "--to", "2020-01-01"], "--to must be later than --from"],
    [["--from", "2018-12-31", "--records", "1"], "--from must be 2019-01-01 or later"],
    [["--to", "2019-01-01"], "--to must be later than --from, which is 2019-01-01 by default"],
    [
      ["--records", "1", "--interval", "99999999999999999999h"],
      "--interval must be at most 8760h (one year)",
    ],
    [["--records", "1", "--interval", "30"], "It must be a number of minutes or hours, such as 30m or 1h."],
    [["--records", "1", "--format", "xml"], "Allowed choices are csv, jsonl."],
  ])("refuses the options %j", async (args, message) => {
    const { status, stderr } = await generate(...args);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  test.each([
    [{}, undefined],
    [{ records: 90 }, 90],
    [{ to: new Date("2019-01-11") }, 50],
    [{ to: new Date("2019-01-11"), records: 90 }, 50],
    [{ to: new Date("2019-01-11"), records: 30 }, 30],
    [{ from: new Date("2019-01-02"), to: new Date("2019-01-05") }, 30],
  ])("estimates the number of records from the part of the period that is done: %j", (options, total) => {
    const last = { ...makeRecords(1)[0]!, timestamp: "2019-01-03T00:00:00Z" };
    expect(estimateTotal({ ...options, format: "csv", out: "-" }, last, 10)).toBe(total);
  });

  test("writes no file if the year 9999 ends too early", async () => {
    const file = join(folder, "late.csv");
    const { status, stderr } = await generate(
      ...["--from", "9999-12-31T23:00:00Z", "--cameras", "2", "--records", "100", "--out", file],
    );
    expect(stderr).toMatch(/^The year 9999 ends after [1-4] records, but --records is 100\.\n$/);
    expect(status).toBe(1);
    expect((await readdir(folder)).filter((name) => name.startsWith("late"))).toEqual([]);
  });
});

describe("check", () => {
  test("counts the records that can be loaded", async () => {
    expect(await runData(["check", "data/seed/2019-05-17.csv"])).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(/^\d{4} records can be loaded\.\n$/),
    });
  });

  test("reports the same problems as load", async () => {
    const input = '{"id": "x"}\n';
    const [checked, loaded] = await Promise.all([
      runData(["check", "-"], input),
      runData(["load", "--persist-to", folder, "-"], input),
    ]);
    expect(checked.status).toBe(1);
    expect(checked.stderr.split("\n").slice(0, -2)).toEqual(loaded.stderr.split("\n").slice(0, -2));
    expect(checked.stderr).toContain('-:1: id "x" is not a whole number');
  });
});
