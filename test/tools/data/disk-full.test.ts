import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { STORE_NAMES } from "../../../data/stores/configuration.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { walk } from "../../walk/walk.ts";
import { type RunningWorker, startWorker } from "../../worker.ts";
import { createDataFolder } from "./data-folder.ts";

/** Runs a command that only root may run. Returns whether it succeeded. */
function runAsRoot(command: string, ...args: string[]): boolean {
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
  const [program = "", ...rest] = [...sudo, command, ...args];
  return spawnSync(program, rest).status === 0;
}

/** Mounts a small file system. Returns false if this is not permitted. */
const mount = (folder: string, megabytes: number): boolean =>
  runAsRoot("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder);

const unmount = (folder: string): boolean => runAsRoot("umount", "--lazy", folder);

const probe = await mkdtemp(join(tmpdir(), "disk-full-test-"));
const isPermitted = mount(probe, 1);
if (isPermitted) unmount(probe);
else console.warn("Tests of full disks are skipped: mounting a small file system is not permitted.");
await rm(probe, { recursive: true, force: true });

const served = makeRecords(300);
const FULL = /: the disk is full\. \d+\.\d MB are free/;

describe.runIf(isPermitted)("on a full disk", () => {
  const local = createDataFolder();
  let small: string;
  let large: string;
  beforeAll(async () => {
    small = join(local.folder, "small");
    await mkdir(small);
    large = join(local.folder, "large.csv");
    await writeFile(large, CSV_HEADER + makeRecords(75_000).map(csvLine).join(""));
  });

  /** Runs a test with a small file system in the folder `small`. */
  async function withDisk(megabytes: number, action: () => Promise<void>): Promise<void> {
    expect(mount(small, megabytes)).toBe(true);
    await action().finally(() => unmount(small));
  }

  test("check reports which folder is full, and leaves no files", () =>
    withDisk(2, async () => {
      const input = await local.write("input.csv", makeWideRecords(60_000));
      const { status, stderr } = await local.runIn(small, "check", input);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^\S*small cannot be written.* MB are free\. Set TMPDIR to use another folder\.$/m,
      );
      expect(stderr).toMatch(FULL);
      expect(await readdir(small)).toEqual([]);
    }));

  test.each(STORE_NAMES)("%s: a load fails, and the records loaded before are still served", (store) =>
    withDisk(10, async () => {
      let server: RunningWorker | undefined;
      const run = (command: string, ...args: string[]) =>
        local.runIn(local.temporary, command, ...args, "--store", store, "--persist-to", small);
      const first = await local.write("first.csv", served);
      expect(await run("load", first)).toMatchObject({ status: 0 });
      try {
        server = await startWorker({ folder: small, vars: { STORE: store } });
        const { status, stderr } = await run("load", large);
        expect(status).toBe(1);
        const [, free] =
          /: the disk is full\. (\d+\.\d) MB are free, and 10\.5 MB are needed\.$/m.exec(stderr) ?? [];
        // What the failed load wrote is gone, so nearly everything is free again.
        expect(Number(free)).toBeGreaterThan(8);
        expect(stderr).toMatch(/^What was loaded before is still served\.$/m);
        expect(stderr).not.toMatch(/stack:|internal error/);
        expect(await walk(server.origin)).toEqual(served.toReversed());
      } finally {
        await server?.close();
      }
      expect(await run("load", first)).toMatchObject({ status: 0 });
    }),
  );

  test.each(["csv", "jsonl"])("generate and export --format %s leave no partial file", (format) =>
    withDisk(1, async () => {
      const out = join(small, "out");
      await writeFile(out, "before");
      const args = ["--format", format, "--out", out];
      expect(await local.runWithTemporary("load", "data/seed/2019-05-17.csv")).toMatchObject({ status: 0 });
      await writeFile(join(small, "filler"), Buffer.alloc(900_000));
      for (const command of [["generate", "--records", "50000"], ["export"]]) {
        const place = command[0] === "export" ? ["--persist-to", local.folder] : [];
        const { status, stderr } = await local.runIn(
          local.temporary,
          command[0]!,
          ...command.slice(1),
          ...args,
          ...place,
        );
        expect(status).toBe(1);
        expect(stderr).toContain(`${out} cannot be written`);
        expect(stderr).toMatch(FULL);
        expect((await readdir(small)).sort()).toEqual(["filler", "out"]);
        expect(await readFile(out, "utf8")).toBe("before");
      }
    }),
  );
});
