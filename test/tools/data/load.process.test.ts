import { globSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { Page } from "../../../src/records/schema.ts";
import { loadSampleData } from "../../../tools/data/sample-data.ts";
import { STORE_NAMES } from "../../../tools/data/stores/configuration.ts";
import { PATH } from "../../support/exchange.ts";
import { runData } from "../../support/run-command.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { untilServed } from "../../support/serve.ts";
import { readAllRecords, startWorker } from "../../support/worker.ts";
import { createDataFolder, interrupt } from "./data-folder.ts";

const older = makeRecords(600).reverse();
const newer = makeRecords(1_000).reverse();
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
      await setTimeout(50); // The load needs CPU time too.
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  return seen;
}

test.each(STORE_NAMES)(
  "%s: a load locks out other loads, and replaces the records that four clients read",
  async (store) => {
    const place = ["--store", store];
    const load = async (file: string) => (await local.run("load", ...place, file)).stdout;
    expect(await load(await write("older.csv", older))).toBe("Loaded 600 records.\n");
    await loadSampleData({ store, persistTo: local.folder });
    const waiting = await local.startWaiting(...place);
    expect(await local.run("load", ...place, small)).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(`Another process is writing to the ${store} store in ${local.folder}`),
    });
    // Reading needs no lock.
    expect((await local.run("info", ...place)).stdout).toMatch(/^records +600$/m);
    expect(await interrupt(waiting, "SIGKILL")).toEqual([null, "SIGKILL"]);
    expect(await readdir(local.temporary)).toEqual([]);
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    const stop = new AbortController();
    try {
      expect(await readAllRecords(server.origin)).toEqual(older);
      const replace = async () => {
        expect(await load(await write("newer.csv", newer))).toBe("Loaded 1000 records, instead of 600.\n");
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
  },
);

describe("a load that fails leaves the served records", () => {
  const load = (...args: string[]) => local.run("load", "--store", "d1", ...args);
  const expectPrevious = async () =>
    expect((await local.run("info", "--store", "d1")).stdout).toMatch(/^records +40$/m);
  beforeAll(async () => void (await load(small)));

  test("if it has fewer records than are loaded now, unless these are the sample data", async () => {
    const current = (name: string, ...place: string[]) =>
      local.run("load", "--store", "d1", "--min-records", "current", join(local.folder, name), ...place);
    await write("39.csv", makeRecords(39));
    const stderr = expect.stringMatching(/contain 39 records, fewer .*\nNothing was loaded\.\n/);
    expect(await current("39.csv")).toEqual({ status: 1, stdout: "", stderr });
    await expectPrevious();
    expect(await current("small.csv")).toMatchObject({ status: 0, stderr: "" });
    const place = ["--persist-to", join(local.folder, "other")];
    await loadSampleData({ store: "d1", persistTo: place[1] });
    const none = "Only the sample data is loaded, so there is no minimum.\n";
    expect(await current("small.csv", ...place)).toMatchObject({ status: 0, stderr: none });
    expect(await current("39.csv", ...place)).toMatchObject({ status: 1 });
  });

  test("if SIGTERM stops it", async () => {
    const child = await local.startWaiting("--store", "d1");
    expect(await interrupt(child, "SIGTERM")).toEqual([143, null]);
    expect(await local.readStderr()).toMatch(/^Stopped\. Nothing was loaded\.$/m);
    expect(await readdir(local.temporary), "temporary files").toEqual([]);
    await expectPrevious();
  });
});

test.each(["file/below", "file"])("info and load name %s, which cannot be a folder", async (name) => {
  await write("file", "");
  const folder = join(local.folder, name);
  const commands = [["info"], ["load", small]].map((args) => runData([...args, "--persist-to", folder]));
  const named = new RegExp(`^${folder}\\S+ cannot be (written|opened): .*not a directory\\n$`);
  const failed = { status: 1, stdout: "", stderr: expect.stringMatching(named) };
  expect(await Promise.all(commands)).toEqual([failed, failed]);
});

test.each([
  ["has the content of a different program", 0, "cannot be opened"],
  ["has lost its pages", 4_096, "cannot be used"],
])("info and load name a file of a store that %s, and the way out", async (_, kept, problem) => {
  const persistTo = join(local.folder, problem);
  const place = ["--store", "d1", "--persist-to", persistTo];
  await runData(["load", small, ...place]);
  const [file = ""] = globSync(`${persistTo}/v3/d1/*/*.sqlite`);
  const content = await readFile(file);
  await writeFile(file, content.fill("x", kept));
  const commands = [["info"], ["load", small]].map((args) => runData([...args, ...place]));
  const named = expect.stringMatching(`${file}\\)? ${problem}: it is damaged. Delete it`);
  const failed = { status: 1, stdout: "", stderr: named };
  expect(await Promise.all(commands)).toEqual([failed, failed]);
  await rm(file);
  expect((await runData(["load", small, ...place])).stdout).toBe("Loaded 40 records.\n");
});

test("check counts the records that can be loaded, and names the problems of the others", async () => {
  const checked = await runData(["check", "data/seed/2019.csv"]);
  expect(checked).toEqual({ status: 0, stderr: "", stdout: "12174 records can be loaded.\n" });
  const stderr = expect.stringMatching(/^-:1: \{\} is not a record.*\nNothing was loaded\.\n$/);
  expect(await runData(["check", "-"], "{}")).toEqual({ status: 1, stdout: "", stderr });
});

test.each([
  ["unload", /unknown command 'unload'/],
  ["load", /missing required argument 'files'/],
  ["load --model-name tf2 x.csv", /--model-name .*'tf2' is invalid.* tf1/],
  ["load x.csv --source ", /--source .*'' is invalid.* empty/],
  ["export --out ", /--out .*'' is invalid.* empty/],
  ["export --format xml", /--format .*'xml' is invalid.* csv, jsonl/],
  ["generate", /--records or --to is required/],
  ["generate --records 0", /--records .*'0' is invalid.* 1 or more/],
  ["generate --to 2019-02-30", /--to .*'2019-02-30' is invalid.* UTC/],
  ["generate --records 1 --cameras 100001", /--cameras .*'100001' is invalid.* 1 to 100000/],
  ["generate --from 2018-12-31 --records 1", /--from must be 2019-01-01 or later/],
  ["generate --to 2019-01-01", /--to must be later than --from/],
  ["generate --records 1 --interval 30m", /--interval .*'30m' is invalid.* whole number/],
])("the command line %j ends with exit status 2, and names what is invalid", async (command, problem) => {
  const { status, stderr } = await runData(command.split(" "));
  expect([status, stderr]).toEqual([2, expect.stringMatching(problem)]);
});
