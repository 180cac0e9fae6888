import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../../data/writer/configuration.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { finish } from "../../run-command.ts";
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
  const child = spawn(process.execPath, ["tools/data/data-command.ts", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
  return finish(child);
}

const FULL = /: the disk is full\. \d+\.\d MB are free/;

describe.runIf(isPermitted)("on a full disk", () => {
  test("check reports which folder is full, and leaves no files", () =>
    withDisk(2, async () => {
      const input = await local.write("input.csv", makeWideRecords(60_000));
      const { status, stderr } = await run(small, "check", input);
      expect([status, stderr]).toEqual([1, expect.stringMatching(FULL)]);
      expect(stderr).toMatch(/^\S*small cannot be written.* Set TMPDIR to use another folder\.$/m);
      expect(await readdir(small)).toEqual([]);
    }));

  test.each(STORE_NAMES)("%s: a load fails, and the records loaded before are still served", (store) =>
    withDisk(10, async () => {
      const served = makeRecords(300);
      const first = await local.write("first.csv", served);
      const load = (file: string) =>
        run(local.temporary, "load", file, "--store", store, "--persist-to", small);
      expect(await load(first)).toMatchObject({ status: 0 });
      const server = await startWorker({ folder: small, vars: { STORE: store } });
      try {
        const { status, stderr } = await load(await local.write("large.csv", makeRecords(75_000)));
        expect(status).toBe(1);
        const sentence = /: the disk is full\. (\d+\.\d) MB are free, and 10\.5 MB are needed\.$/m;
        // What the failed load wrote is gone, so nearly everything is free again.
        expect(Number(sentence.exec(stderr)?.[1])).toBeGreaterThan(8);
        expect(stderr).toMatch(/^What was loaded before is still served\.$/m);
        expect(stderr).not.toMatch(/stack:|internal error/);
        expect(await walk(server.origin)).toEqual(served.toReversed());
      } finally {
        await server.close();
      }
      expect(await load(first)).toMatchObject({ status: 0 });
    }),
  );

  test.each(["csv", "jsonl"])("generate and export --format %s leave no partial file", (format) =>
    withDisk(1, async () => {
      const out = join(small, "out");
      await writeFile(out, "before");
      expect(await local.run("load", "data/seed/2019-05-17.csv")).toMatchObject({ status: 0 });
      await writeFile(join(small, "filler"), Buffer.alloc(900_000));
      for (const command of [
        ["generate", "--records", "50000"],
        ["export", "--persist-to", local.folder],
      ]) {
        const { status, stderr } = await run(local.temporary, ...command, "--format", format, "--out", out);
        expect([status, stderr]).toEqual([1, expect.stringMatching(FULL)]);
        expect(stderr).toContain(`${out} cannot be written`);
        expect((await readdir(small)).sort()).toEqual(["filler", "out"]);
        expect(await readFile(out, "utf8")).toBe("before");
      }
    }),
  );
});
