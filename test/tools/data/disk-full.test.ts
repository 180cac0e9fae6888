import { spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../../data/writer/configuration.ts";
import { compareNewestFirst, makeRecords, makeWideRecords, toCsv } from "../../records/sample.ts";
import { runProcess } from "../../run-command.ts";
import { startWorker, walk } from "../../worker.ts";
import { createDataFolder } from "./data-folder.ts";

const local = createDataFolder();
const small = join(local.folder, "small");
mkdirSync(small);

/** Runs a command that only root may run. Returns whether it succeeded. */
function runAsRoot(command: string, ...args: string[]): boolean {
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
  const [program = "", ...rest] = [...sudo, command, ...args];
  return spawnSync(program, rest).status === 0;
}

/** Mounts a small file system at `small`. Returns false if this is not permitted. */
const mount = (megabytes: number) =>
  runAsRoot("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", small);
const unmount = () => runAsRoot("umount", "--lazy", small);

const isPermitted = mount(1) && unmount();
if (!isPermitted)
  console.warn("Tests of full disks are skipped: mounting a small file system is not permitted.");

/** Runs a test with a small file system in the folder `small`. */
async function withDisk(megabytes: number, action: () => Promise<void>): Promise<void> {
  expect(mount(megabytes)).toBe(true);
  await action().finally(unmount);
}

/** Runs a command in its own process, because the temporary files of this one are elsewhere. */
function run(TMPDIR: string, ...args: string[]) {
  const env = { ...process.env, TMPDIR };
  return runProcess(process.execPath, ["tools/data/data-command.ts", ...args], { env });
}

const FULL = /: the disk is full\. \d+\.\d MB are free/;

describe.runIf(isPermitted)("on a full disk", () => {
  test("check reports which folder is full and how much it needs, and leaves no files", () =>
    withDisk(2, async () => {
      const input = await local.write("input.csv", makeWideRecords(60_000));
      const { status, stderr } = await run(small, "check", input);
      expect([status, stderr]).toEqual([1, expect.stringMatching(FULL)]);
      const sentence =
        /^\S*small cannot be written.*, but the load needs about (\d+)\.\d MB\. Set TMPDIR to use another folder\.$/m;
      // 567 bytes for each record, as measured.
      expect(Number(sentence.exec(stderr)?.[1])).toSatisfy((needed) => needed > 28 && needed < 45);
      expect(await readdir(small)).toEqual([]);
    }));

  test.each(STORE_NAMES)(
    "%s: a load fails again and again, and keeps space and records for others",
    (store) =>
      withDisk(14, async () => {
        const load = (file: string) =>
          run(local.temporary, "load", file, "--store", store, "--persist-to", small);
        const served = makeRecords(300);
        expect(await load(await local.write("first.csv", served))).toMatchObject({ status: 0 });
        const [large, fitting] = [makeRecords(150_000), makeRecords(50_000)];
        for (const file of ["large.csv", "large.csv"]) {
          const { status, stderr } = await load(await local.write(file, large));
          expect(status).toBe(1);
          const sentence =
            /small\/v3 cannot be written: the disk is full\. (\S+) MB are free(?:, and (\S+) MB inside the database)?; a load leaves 6\.0 MB free for the log of the database\.$/m;
          const [, free, reusable = 0] = sentence.exec(stderr) ?? [];
          const { bavail, bsize } = statfsSync(small);
          expect(Number(free)).toBeCloseTo((bavail * bsize) / 1e6, 0);
          // What the failed load wrote is gone, and the space for the log was not touched.
          expect(Number(free) + Number(reusable)).toBeGreaterThan(13);
          expect(Number(free)).toBeGreaterThan(5.9);
          expect(stderr).toMatch(/^What was loaded before is still served\.$/m);
        }
        const server = await startWorker({ folder: small, vars: { STORE: store } });
        try {
          expect(await walk(server.origin)).toEqual(served.toReversed());
        } finally {
          await server.close();
        }
        expect(await load(await local.write("fitting.csv", fitting))).toMatchObject({ status: 0 });
      }),
  );

  test("without a free byte, a local store cannot be read, and the reason is named", () =>
    withDisk(4, async () => {
      const place = ["--store", "d1", "--persist-to", small];
      const file = await local.write("first.csv", makeRecords(300));
      const { status } = await run(local.temporary, "load", file, ...place);
      // The reserve of a load is more than the disk has.
      expect(status).toBe(1);
      await writeFile(join(small, "filler"), Buffer.alloc(5_000_000)).catch(() => undefined);
      for (const command of ["info", "export"]) {
        const { stderr } = await run(local.temporary, command, ...place);
        expect(stderr).toMatch(/\.sqlite cannot be written: the disk is full\. 0\.0 MB are free\.$/m);
      }
    }));

  test("generate and export leave no partial file", () =>
    withDisk(1, async () => {
      const out = join(small, "out");
      await writeFile(out, "before");
      expect(await local.run("load", "data/seed/2019-05-17.csv")).toMatchObject({ status: 0 });
      await writeFile(join(small, "filler"), Buffer.alloc(900_000));
      for (const command of [
        ["generate", "--records", "50000"],
        ["export", "--persist-to", local.folder],
      ]) {
        const { status, stderr } = await run(local.temporary, ...command, "--out", out);
        expect([status, stderr]).toEqual([1, expect.stringMatching(FULL)]);
        expect(stderr).toContain(`${out} cannot be written`);
        expect((await readdir(small)).sort()).toEqual(["filler", "out"]);
        expect(await readFile(out, "utf8")).toBe("before");
      }
    }));
});

test.runIf(isPermitted).each(STORE_NAMES)(
  "%s: info and export read a store that a server has open where they may not write, and else say what they need",
  async (store) => {
    const records = makeRecords(300);
    const file = await local.write("first.csv", records);
    expect(await local.run("load", file, "--store", store)).toMatchObject({ status: 0 });
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    const read = (command: string) => run(local.temporary, command, "--store", store, "--persist-to", small);
    try {
      await walk(server.origin);
      expect(runAsRoot("mount", "--bind", local.folder, small)).toBe(true);
      expect(runAsRoot("mount", "-o", "remount,bind,ro", small)).toBe(true);
      expect((await read("info")).stdout).toMatch(/^records +300$/m);
      expect((await read("export")).stdout).toBe(toCsv(records.toSorted(compareNewestFirst)));
      await server.close();
      // A command that may write removes the log that the server left.
      await local.run("info", "--store", store);
      for (const command of ["info", "export"])
        expect((await read(command)).stderr).toMatch(
          /\.sqlite cannot be opened: SQLite needs permission to write in its folder, unless npm start is running\./,
        );
    } finally {
      unmount();
      await server.close();
    }
  },
);
