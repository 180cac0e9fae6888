import { globSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { Page } from "../../../src/records/schema.ts";
import { getBlockNumber } from "../../../src/store/block.ts";
import { loadSeed } from "../../../tools/data/seed-writer.ts";
import { STORE_NAMES } from "../../../tools/data/stores/configuration.ts";
import { PATH } from "../../http-suite/exchange.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { untilServed } from "../../support/serve.ts";
import { readAllRecords, startWorker } from "../../support/worker.ts";
import { runData } from "../command-line/run-command.ts";
import { countBlocks, createDataFolder, interrupt, untilWriting } from "./data-folder.ts";

const older = makeRecords(600).reverse();
const newer = makeRecords(1_000).reverse();
/** About 7 MB, written in about seven transactions. */
const large = makeWideRecords(80_000);

const local = createDataFolder();
const write = local.write;
let small: string;
beforeAll(async () => {
  small = await write("small.csv", makeRecords(40));
});

/** Lets four clients read page after page until the signal. Returns the counts of all snapshots that they saw. */
async function readOn(origin: string, stop: AbortSignal): Promise<Set<number>> {
  const seen = new Set<number>();
  const client = async () => {
    for (let number = 1; !stop.aborted; number = (number % (older.length / 15)) + 1) {
      const page = (await (await fetch(`${origin}${PATH}?page=${number}`)).json()) as Page;
      const records = page.count === older.length ? older : newer;
      expect(page.results).toEqual(records.slice(15 * (number - 1), 15 * number));
      seen.add(page.count);
      await setTimeout(10); // The load needs CPU time too.
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  return seen;
}

test.each(STORE_NAMES)(
  "%s: a load locks out other loads, can be killed, and replaces the records that four clients read",
  async (store) => {
    const place = ["--store", store];
    const load = async (file: string) => (await local.run("load", ...place, file)).stdout;
    expect(await load(await write("older.csv", older))).toBe("Loaded 600 records.\n");
    await loadSeed({ store, persistTo: local.folder });
    const killed = local.start("load", ...place, await write("large.csv", large));
    await untilWriting(store, local, killed);
    expect(await local.run("load", ...place, small)).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(`Another process is writing to the ${store} store in ${local.folder}`),
    });
    // Reading needs no lock.
    expect((await local.run("info", ...place)).stdout).toMatch(/^records +600$/m);
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    const stop = new AbortController();
    try {
      expect(await readAllRecords(server.origin)).toEqual(older);
      expect(await interrupt(killed, "SIGKILL")).toEqual([null, "SIGKILL"]);
      expect(await readdir(local.temporary)).toEqual([]);
      expect(await countBlocks(store, local)).toBeGreaterThan(5);
      const replace = async () => {
        expect(await load(await write("newer.csv", newer))).toBe("Loaded 1000 records.\n");
        await untilServed(server.origin);
        stop.abort();
      };
      const [seen] = await Promise.all([readOn(server.origin, stop.signal), replace()]);
      expect(seen).toContain(older.length);
      expect(await readAllRecords(server.origin)).toEqual(newer);
    } finally {
      stop.abort();
      await server.close();
    }
    const blocks = getBlockNumber(newer.length) + 1;
    expect(await countBlocks(store, local), "the records and the statistics").toBe(blocks);
  },
);

describe("the previous records are still served if a load fails:", () => {
  const load = (...args: string[]) => local.run("load", "--store", "d1", ...args);
  const expectPrevious = async () =>
    expect((await local.run("info", "--store", "d1")).stdout).toMatch(/^records +40$/m);
  beforeAll(async () => void (await load(small)));

  test("invalid input ends with exit status 1", async () => {
    const file = await write("bad.jsonl", "{}\n");
    const { status, stdout, stderr } = await load(file);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${file}:1: {} is not a record`);
    await expectPrevious();
  });

  test("SIGTERM stops it while it writes records", async () => {
    const child = local.start("load", "--store", "d1", await write("large.csv", large));
    await untilWriting("d1", local, child);
    expect(await interrupt(child, "SIGTERM")).toEqual([143, null]);
    expect(await local.readStderr()).toMatch(/^Stopped\. Nothing was loaded\.$/m);
    expect(await readdir(local.temporary), "temporary files").toEqual([]);
    await expectPrevious();
  });
});

test.each(["file/below", "file"])("the store's folder cannot be %s", async (name) => {
  await write("file", "");
  const folder = join(local.folder, name);
  for (const command of [["info"], ["load", small]]) {
    const { status, stderr } = await runData([...command, "--persist-to", folder]);
    expect([status, stderr.startsWith(folder)]).toEqual([1, true]);
    expect(stderr).toMatch(/^\S+ cannot be (written|opened): .*not a directory\n$/);
  }
});

test.each([
  ["has the content of a different program", 0, "cannot be opened"],
  ["has lost its pages", 4_096, "cannot be read"],
])("a file of a store that %s is reported with the way out", async (_, kept, problem) => {
  const persistTo = join(local.folder, problem);
  const place = ["--store", "d1", "--persist-to", persistTo];
  await runData(["load", small, ...place]);
  const [file = ""] = globSync(`${persistTo}/v3/d1/*/*.sqlite`);
  const content = await readFile(file);
  await writeFile(file, content.fill("x", kept));
  for (const command of [["info"], ["load", small]]) {
    const { status, stderr } = await runData([...command, ...place]);
    expect(status).toBe(1);
    expect(stderr).toContain(`${file} ${problem}: it is damaged. Delete it`);
  }
  await rm(file);
  expect((await runData(["load", small, ...place])).stdout).toBe("Loaded 40 records.\n");
});

test("check counts the records that can be loaded, and reports the same problems as load", async () => {
  const checked = await runData(["check", "data/seed/2019.csv"]);
  expect(checked).toEqual({ status: 0, stderr: "", stdout: "12174 records can be loaded.\n" });
  const stderr = expect.stringMatching(/^-:1: \{\} is not a record.*\n.* cannot be loaded\.\n$/);
  expect(await runData(["check", "-"], "{}")).toEqual({ status: 1, stdout: "", stderr });
});

test.each([
  ["unload", "unknown command 'unload'"],
  ["load", "missing required argument 'files'"],
  ["load --model-name tf2 x.csv", "Allowed choices are tf1"],
  ["load x.csv --source ", "It must not be empty."],
  ["export --out ", "It must not be empty."],
  ["export --format xml", "Allowed choices are csv, jsonl."],
  ["generate", "--records or --to is required"],
  ["generate --records 0", "'--records <n>' argument '0' is invalid. It must be a whole number, 1 or more."],
  ["generate --to 2019-02-30", "'--to <date>' argument '2019-02-30' is invalid. It must be a date in UTC"],
  ["generate --records 1 --cameras 100001", "It must be a whole number, 1 to 100000."],
  ["generate --from 2018-12-31 --records 1", "--from must be 2019-01-01 or later"],
  ["generate --to 2019-01-01", "--to must be later than --from, which is 2019-01-01 by default"],
  ["generate --records 1 --interval 30", "minutes or hours, such as 30m or 1h."],
])("%s: an invalid command line has exit status 2", async (command, message) => {
  expect(await runData(command.split(" "))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(message),
  });
});
