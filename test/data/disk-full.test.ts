import { spawn } from "node:child_process";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readRecords } from "../../data/stored-records.ts";
import { STORE_NAMES, type StoreName } from "../../tools/configuration.ts";
import { useStore } from "../../tools/stores/open.ts";
import { type Finished, finish } from "../processes.ts";
import { makeRecords } from "../records/sample.ts";
import { startFakeService } from "./crawl/fake-service.ts";
import { linesOf, runCrawl } from "./crawl/run-crawl.ts";
import { createLocalStore } from "./local-store.ts";

const RECORDS = makeRecords(4_000);

const local = createLocalStore();

/**
 * Runs a command of the data tool that can make no file larger than this. To a program that is the same as a full disk:
 * the write fails.
 */
function runLimited(kibibytes: number, ...args: string[]): Promise<Finished> {
  const script = `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$0" data/cli.ts "$@"`;
  const child = spawn("bash", ["-c", script, process.execPath, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: local.temporary },
  });
  return finish(child);
}

const readLoaded = (store: StoreName) =>
  useStore({ store, persistTo: local.folder }, async (opened) =>
    Array.fromAsync(readRecords(opened.store, await opened.store.readState(true))),
  );

/** A failure is a message, not the stack of a bug. */
function expectFailure({ status, stdout, stderr }: Finished, message: RegExp): void {
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^ {4}at /m);
}

test("while files are read: nothing is left behind", async () => {
  // 20 MB, more than is kept in memory.
  const records = makeRecords(60_000).map((record) => ({
    ...record,
    camera_ref: record.camera_ref.padEnd(255, "."),
  }));
  const file = await local.write("large.csv", records);
  expectFailure(await runLimited(1_000, "check", file), /disk|space/i);
  expect(await readdir(local.temporary)).toEqual([]);
});

test.each(STORE_NAMES)(
  "while %s is written: what was loaded before stays, and the next load succeeds",
  async (store) => {
    const place = ["--store", store, "--persist-to", local.folder];
    const before = RECORDS.slice(0, 700);
    expect((await local.run("load", "--store", store, await local.write("before.csv", before))).status).toBe(
      0,
    );
    const file = await local.write("records.csv", RECORDS);
    expectFailure(await runLimited(20, "load", ...place, file), /./);
    expect(await readLoaded(store)).toEqual(before);
    expect((await local.run("load", "--store", store, file)).stdout).toBe("Loaded 4000 records.\n");
    expect(await readLoaded(store)).toEqual(RECORDS);
  },
);

test("while a crawl writes: the same command resumes", async () => {
  const service = await startFakeService(RECORDS);
  const folder = join(local.folder, "crawl");
  await mkdir(folder);
  const out = join(folder, "records.jsonl");
  expectFailure(
    await runLimited(20, "crawl", service.origin, "--out", out),
    /records\.jsonl.* cannot be written/,
  );
  const kept = (await readFile(out, "utf8")).length;
  expect(kept).toBeGreaterThan(0);
  const { error, lines } = await runCrawl(service.origin, { out });
  await service.close();
  expect(error).toBeUndefined();
  expect(lines).toEqual(linesOf(RECORDS));
  expect(await readdir(folder)).toEqual(["records.jsonl"]);
});
