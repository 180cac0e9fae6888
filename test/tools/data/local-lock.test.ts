import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { STORE_NAMES } from "../../../data/stores/configuration.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { walk } from "../../walk/walk.ts";
import { startWorker } from "../../worker.ts";
import { createLocalStore, interrupt, untilWriting } from "./local-store.ts";

const served = makeRecords(40);
/** About 7 MB, which are written in about seven transactions. */
const large = makeWideRecords(21_000);

const local = createLocalStore();
let small: string;
beforeAll(async () => {
  small = await local.write("served.csv", served);
});

test.each(STORE_NAMES)(
  "%s: while one load writes, another load is refused, and the files of a killed load are removed",
  async (store) => {
    const place = ["--store", store];
    expect((await local.run("load", ...place, small)).stdout).toBe("Loaded 40 records.\n");
    const load = local.start("load", ...place, await local.write("large.csv", large));
    await untilWriting(store, local, load);
    load.kill("SIGSTOP");
    for (const append of [[], ["--append"]]) {
      expect(await local.run("load", ...place, ...append, small)).toEqual({
        status: 1,
        stdout: "",
        stderr: `Process ${load.pid} is writing to the ${store} store in ${local.folder}. Run the command again when it has ended.\n`,
      });
    }
    // Reading needs no lock.
    expect((await local.run("info", ...place)).stdout).toMatch(/^records +40$/m);
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    expect(await walk(server.origin)).toEqual(served.toReversed());
    await server.close();
    expect(await interrupt(load, "SIGKILL", true)).toEqual([null, "SIGKILL"]);

    const [leftover] = await readdir(local.temporary);
    expect(leftover).toMatch(/^traffic-count-records-/);
    const { stderr } = await local.runWithTemporary("info", ...place, "--verbose");
    expect(stderr).toContain(
      `Removed ${join(local.temporary, leftover!)}, which a command that was killed left behind.\n`,
    );
    expect(await readdir(local.temporary)).toEqual([]);
    expect((await local.run("load", ...place, small)).stdout).toBe("Loaded 40 records.\n");
  },
);

test("new temporary files and the files of other programs are not removed", async () => {
  const names = ["miniflare-0123", "traffic-count-records.new-abc", "traffic-count-records-xyz"];
  for (const name of names) await mkdir(join(local.temporary, name));
  const file = join(local.temporary, "traffic-count-records-file");
  await writeFile(file, "");
  expect(await local.runWithTemporary("info")).toMatchObject({ stderr: "", status: 0 });
  expect((await readdir(local.temporary)).sort()).toEqual([...names, "traffic-count-records-file"].sort());
  const old = new Date(Date.now() - 120_000);
  for (const name of names) await utimes(join(local.temporary, name), old, old);
  expect(await local.runWithTemporary("info")).toMatchObject({ stderr: "", status: 0 });
  expect((await readdir(local.temporary)).sort()).toEqual(["miniflare-0123", "traffic-count-records-file"]);
});

test("a file in the path of the store's folder is reported in one sentence", async () => {
  await writeFile(join(local.folder, "file"), "");
  const below = join(local.folder, "file/below");
  const { status, stderr } = await local.run("load", small, "--persist-to", below);
  expect([status, stderr]).toEqual([
    1,
    `${below} cannot be written: a part of the path is not a directory\n`,
  ]);
});

test("the temporary folder of a running command is not removed, however long the command runs", async () => {
  const script = `
    const { openTemporaryFolder } = await import(${JSON.stringify(join(process.cwd(), "data/stores/temporary-files.ts"))});
    openTemporaryFolder();
    for (let round = 0; round < 20; round++) { globalThis.gc(); await new Promise((done) => setTimeout(done, 5)); }
    console.log("ready");
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "--eval", script], {
    env: { ...process.env, TMPDIR: local.temporary },
  });
  await once(child.stdout, "data");
  const before = await readdir(local.temporary);
  expect(await local.runWithTemporary("info")).toMatchObject({ status: 0, stderr: "" });
  expect(await readdir(local.temporary)).toEqual(before);
  expect(before).toContainEqual(expect.stringMatching(/^traffic-count-records-\w{6}$/));
  child.kill("SIGKILL");
  await once(child, "close");
});
