import { spawnSync } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { STORE_NAMES } from "../../../data/stores/configuration.ts";
import { lockFile } from "../../../data/stores/file-lock.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { walk } from "../../walk/walk.ts";
import { startWorker } from "../../worker.ts";
import { countBlocks, createDataFolder, interrupt, untilWriting } from "./data-folder.ts";

const served = makeRecords(40);
/** About 7 MB, which are written in about seven transactions. */
const large = makeWideRecords(80_000);

const local = createDataFolder();
let small: string;
beforeAll(async () => {
  small = await local.write("served.csv", served);
});

test.each(STORE_NAMES)(
  "%s: while one load writes, another load is refused, and the next load removes what a killed one wrote",
  async (store) => {
    const place = ["--store", store];
    expect((await local.run("load", ...place, small)).stdout).toBe("Loaded 40 records.\n");
    const load = local.start("load", ...place, await local.write("large.csv", large));
    await untilWriting(store, local, load);
    expect(await local.run("load", ...place, small)).toEqual({
      status: 1,
      stdout: "",
      stderr: `Process ${load.pid} is writing to the ${store} store in ${local.folder}. Run the command again when it has ended.\n`,
    });
    // Reading needs no lock.
    expect((await local.run("info", ...place)).stdout).toMatch(/^records +40$/m);
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    expect(await walk(server.origin)).toEqual(served.toReversed());
    await server.close();
    expect(await interrupt(load, "SIGKILL")).toEqual([null, "SIGKILL"]);

    expect(await readdir(local.temporary)).toEqual([]);
    expect(await countBlocks(store, local)).toBeGreaterThan(0);
    expect((await local.run("load", ...place, small)).stdout).toBe("Loaded 40 records.\n");
    expect(await countBlocks(store, local), "a block and the statistics").toBe(2);
  },
);

/** Opens a pipe for writing when somebody waits for a writer. */
async function openForReader(pipe: string): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // Nobody has the pipe open yet.
      if (Object(error).code !== "ENXIO") throw error;
      await setTimeout(20);
    }
  }
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "a load that waits for what a pipe brings ends with %s, and releases the lock",
  async (signal, status) => {
    const pipe = join(local.folder, `pipe-${signal}`);
    spawnSync("mkfifo", [pipe]);
    const load = local.start("load", "--store", "d1", pipe);
    const writer = await openForReader(pipe);
    expect(() => lockFile(join(local.folder, "d1.lock"), "the store")).toThrow(`Process ${load.pid} `);
    expect(await interrupt(load, signal)).toEqual([status, null]);
    await writer.close();
    expect((await local.run("load", "--store", "d1", small)).status).toBe(0);
  },
);

test.each(["load", "info"])(
  "%s reports a file in the path of the store's folder in one sentence",
  async (command) => {
    const file = join(local.folder, "file");
    await writeFile(file, "");
    const files = command === "load" ? [small] : [];
    for (const [folder, reason] of [
      [join(file, "below"), "a part of the path is not a directory"],
      [file, command === "load" ? "it is not a directory" : "a part of the path is not a directory"],
    ]) {
      const { status, stderr } = await local.run(command, ...files, "--persist-to", folder!);
      expect([status, stderr.replace("/v3 cannot", " cannot")]).toEqual([
        1,
        `${folder} cannot be written: ${reason}\n`,
      ]);
    }
  },
);

test.each([
  ["info", "--persist-to"],
  ["info", "--config"],
  ["export", "--out"],
  ["load", "--source"],
])("%s: an empty value for %s is refused", async (command, option) => {
  const { status, stderr } = await runData([command, ...(command === "load" ? [small] : []), option, ""]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("It must not be empty.")]);
});
