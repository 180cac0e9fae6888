import { spawn } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { finish } from "../../processes.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { untilServed } from "../../serve.ts";
import { walk } from "../../walk/walk.ts";
import { startWorker, useWorker } from "../../worker.ts";
import { createDataFolder, interrupt, untilWriting } from "./data-folder.ts";

const served = makeRecords(40).reverse();
/** About 7 MB, which are written in about seven transactions. */
const large = makeWideRecords(80_000);

const local = createDataFolder();
beforeAll(async () => {
  await load(await local.write("served.csv", served));
});
const server = useWorker({ folder: local.folder });

const load = (...args: string[]) => local.run("load", ...args);

describe("a load that fails keeps the served collection:", () => {
  test("bad input reports 20 problems and the number of further problems, with exit status 1", async () => {
    const bad = makeRecords(50).map((record, index) => (index < 30 ? { ...record, cars: -1 } : record));
    const file = await local.write("bad.csv", bad);
    const { status, stdout, stderr } = await load(file);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe(`${file}:2: cars "-1" is not a whole number, 0 or greater`);
    expect(lines[19]).toBe(`${file}:21: cars "-1" is not a whole number, 0 or greater`);
    expect(lines.slice(20)).toEqual(["and 10 more problems", "Nothing was loaded."]);
    expect(await walk(server.origin)).toEqual(served);
  });

  test("another model name is reported with the option that replaces it", async () => {
    const file = join(local.folder, "other.csv");
    await writeFile(file, CSV_HEADER + csvLine(makeRecords(1)[0]!).replace("tf1", "tf9"));
    const { status, stderr } = await load(file);
    expect(status).toBe(1);
    expect(stderr).toContain('model_name "tf9" is not "tf1"');
    expect(stderr).toContain("--model-name tf1");
    expect(await walk(server.origin)).toEqual(served);
  });

  test("a missing model name is reported without a suggestion of --model-name", async () => {
    const file = join(local.folder, "none.jsonl");
    const { model_name: _, ...record } = makeRecords(1)[0]!;
    await writeFile(file, JSON.stringify(record));
    expect((await load(file)).stderr).toBe(`${file}:1: model_name is missing\nNothing was loaded.\n`);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s stops a load while it writes records", async (signal, status) => {
    const child = local.start("load", await local.write("large.csv", large));
    await untilWriting("d1", local, child);
    expect(await interrupt(child, signal)).toEqual([status, null]);
    expect(await local.readStderr()).toMatch(/^Stopped\. What was loaded before is still served\.$/m);
    expect(await readdir(local.temporary), "nothing is left behind").toEqual([]);
    // A worker that has just started knows no earlier state.
    const started = await startWorker({ folder: local.folder });
    expect(await walk(started.origin)).toEqual(served);
    await started.close();
  });

  test("the next load succeeds", async () => {
    const next = makeRecords(35);
    expect((await load(await local.write("next.csv", next))).stdout).toBe("Loaded 35 records.\n");
    await untilServed(server.origin);
    expect(await walk(server.origin)).toEqual(next.toReversed());
  });
});

test("file paths are relative to the folder in which the command was run", async () => {
  const command = ["run", "--silent", "data", "--", "check", "data.md"];
  const child = spawn("npm", command, { cwd: "docs", stdio: ["ignore", "pipe", "pipe"] });
  const { stderr } = await finish(child);
  expect(stderr).toContain("data.md:1: ");
});

test("wrong usage ends with exit status 2", async () => {
  expect((await runData(["load"])).status).toBe(2);
  expect((await runData(["load", "--model-name", "tf2", "x.csv"])).stderr).toContain(
    "Allowed choices are tf1",
  );
  expect((await runData(["unload"])).status).toBe(2);
});
