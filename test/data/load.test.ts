import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { glob, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../data/outputs/csv.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { runData, type Served, serve, untilFresh } from "../serve.ts";
import { walk } from "../walk/walk.ts";

const served = makeRecords(40).reverse();

let folder: string;
let server: Served;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "load-test-"));
  await load(await write("served.csv", served));
  server = await serve(folder);
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, records: TrafficRecord[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, CSV_HEADER + records.map(csvLine).join(""));
  return file;
}

const load = (...args: string[]) => runData(["load", "--persist-to", folder, ...args]);

describe("what cannot be loaded leaves what is served, whole", () => {
  test("bad input: exit status 1, 20 problems and how many more there are", async () => {
    const bad = makeRecords(50).map((record, index) => (index < 30 ? { ...record, cars: -1 } : record));
    const file = await write("bad.csv", bad);
    const { status, stdout, stderr } = await load(file);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe(`${file}:2: cars: "-1" is not a whole number, 0 or greater`);
    expect(lines[19]).toBe(`${file}:21: cars: "-1" is not a whole number, 0 or greater`);
    expect(lines.slice(20)).toEqual(["and 10 more problems", "Nothing was loaded."]);
    expect(await walk(server.origin)).toEqual(served);
  });

  test("another model: says how to serve it", async () => {
    const file = join(folder, "other.csv");
    await writeFile(file, CSV_HEADER + csvLine(makeRecords(1)[0]!).replace("tf1", "tf9"));
    const { status, stderr } = await load(file);
    expect(status).toBe(1);
    expect(stderr).toContain('model_name: "tf9" is not "tf1"');
    expect(stderr).toContain("--model-name tf1");
    expect(await walk(server.origin)).toEqual(served);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s while records are written", async (signal) => {
    const temporary = join(folder, "temporary");
    await mkdir(temporary, { recursive: true });
    const file = await write("large.csv", makeRecords(200_000));
    const child = spawn(process.execPath, ["data/cli.ts", "load", "--persist-to", folder, file], {
      stdio: "ignore",
      detached: true,
      env: { ...process.env, TMPDIR: temporary },
    });
    await untilSomeAreWritten(temporary);
    await interrupt(child, signal);
    expect(await readdir(temporary), "nothing is left behind").not.toContainEqual(
      expect.stringMatching(/^traffic-/),
    );
    await untilFresh();
    expect(await walk(server.origin)).toEqual(served);
  });

  test("the next load succeeds", async () => {
    const next = makeRecords(35);
    expect((await load(await write("next.csv", next))).stdout).toBe("Loaded 35 records.\n");
    await untilFresh();
    expect(await walk(server.origin)).toEqual(next.toReversed());
  });
});

/** Waits until one file of SQL has been executed, which is when the next one begins under the same name. */
async function untilSomeAreWritten(temporary: string): Promise<void> {
  let largest = 0;
  for (;;) {
    const [file] = await Array.fromAsync(glob(`${temporary}/traffic-*/load.sql`));
    const size = file ? await stat(file).then(({ size }) => size) : 0;
    if (size < largest) return;
    largest = size;
    await setTimeout(5);
  }
}

async function interrupt(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "close");
  if (child.pid !== undefined) process.kill(-child.pid, signal);
  await ended;
}

test("wrong usage is exit status 2", async () => {
  expect((await runData(["load"])).status).toBe(2);
  expect((await runData(["load", "--model-name", "tf2", "x.csv"])).stderr).toContain(
    "Allowed choices are tf1",
  );
  expect((await runData(["unload"])).status).toBe(2);
});
