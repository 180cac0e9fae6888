import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { collectRecords } from "../../../data/collection.ts";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { readRecords } from "../../../data/stored-records.ts";
import { createWritableD1 } from "../../../data/stores/d1-writer.ts";
import { createWritableKv, type Pair } from "../../../data/stores/kv-writer.ts";
import { listMigrations, MIGRATIONS } from "../../../data/stores/migrations.ts";
import { openRemoteStore } from "../../../data/stores/remote.ts";
import type { ProgramResult, StandIn } from "../../../data/stores/wrangler.ts";
import { load as loadCollection, type WritableStore } from "../../../data/stores/writer.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { BLOCK_SIZE } from "../../../src/store/block.ts";
import { exportRecords } from "../../../tools/data/export.ts";
import { info } from "../../../tools/data/info.ts";
import { load as loadFiles } from "../../../tools/data/load.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { type Api, openApi } from "../deploy/stub/api.ts";
import { statisticsOf } from "./statistics.ts";
import { createWrangler } from "./wrangler-stand-in.ts";

/** The id of the namespace. */
const NAMESPACE = "0123456789abcdef0123456789abcdef";

let folder: string;
let config: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "remote-test-"));
  config = join(folder, "wrangler.json");
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

/** Loads records, oldest first. */
const load = (store: WritableStore, records: TrafficRecord[]) =>
  loadCollection(store, collectRecords(records.toReversed()));

/** Writes a configuration with the ids of deployed stores. */
const writeConfig = (database_id: string, id: string) =>
  writeFile(
    config,
    JSON.stringify({
      name: "traffic-count-records",
      compatibility_date: "2026-11-01",
      vars: { STORE: "d1" },
      d1_databases: [
        {
          binding: "DB",
          database_name: "records",
          database_id,
          migrations_dir: join(process.cwd(), "data/migrations"),
        },
      ],
      kv_namespaces: [{ binding: "KV", id }],
    }),
  );

const writeCsv = async (name: string, records: TrafficRecord[]) => {
  const file = join(folder, name);
  await writeFile(file, CSV_HEADER + records.map(csvLine).join(""));
  return file;
};

/** Starts the stub of Cloudflare's API, with an empty database and an empty namespace. The real wrangler uses it. */
async function openAccount(): Promise<Api> {
  const api = await openApi();
  const env = {
    CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    XDG_CONFIG_HOME: folder,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { uuid } = api.databases.create("records");
  api.namespaces.push({ id: NAMESPACE, title: "records-kv" });
  api.pairs.set(NAMESPACE, new Map());
  await writeConfig(uuid, NAMESPACE);
  return api;
}

/** Loads records into the database of the account without wrangler, which takes a second for each command. */
async function prepareDatabase({ databases }: Api, records: TrafficRecord[]): Promise<void> {
  const uuid = String(databases.list()[0]?.uuid);
  databases.query(uuid, { sql: "CREATE TABLE d1_migrations (name TEXT)" });
  for (const name of await listMigrations()) {
    databases.query(uuid, { sql: await readFile(join(MIGRATIONS, name), "utf8") });
    databases.query(uuid, { sql: `INSERT INTO d1_migrations VALUES ('${name}')` });
  }
  const store = createWritableD1({
    query: async (sql, parameters) =>
      databases.query(uuid, { sql, params: parameters as never })[0]!.results as never,
    async write(statements) {
      const results = statements.map((sql) => databases.query(uuid, { sql }));
      return Number(Object(results.at(-1)?.[0]).meta.changes);
    },
    batchBytes: 1_000_000,
  });
  await load(store, records);
}

test("load, info and export work with a deployed database through the real wrangler", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const api = await openAccount();
  const choice = { store: "d1" as const, remote: true, config };
  const records = makeRecords(40);
  await prepareDatabase(api, records.slice(0, 24));
  api.refused = /^POST .*\/import$/;
  await loadFiles([await writeCsv("all.csv", records)], choice);
  expect(api.refused, "the request was refused once, and repeated").toBeUndefined();
  expect(print.mock.lastCall?.[0]).toBe("Loaded 40 records.");
  const out = join(folder, "exported.csv");
  await Promise.all([info({ ...choice, json: true }), exportRecords({ ...choice, format: "csv", out })]);
  expect(await readFile(out, "utf8")).toBe(CSV_HEADER + records.toReversed().map(csvLine).join(""));
  const printed = print.mock.calls.map(([line]) => String(line)).find((line) => line.startsWith("{"));
  expect(JSON.parse(String(printed))).toMatchObject({
    store: "d1",
    remote: true,
    count: 40,
    statistics: { ...statisticsOf(records), sources: ["all.csv"], source_count: 1 },
  });
  expect(api.unknown).toEqual([]);
  await api.close();
});

/** Loads records into the namespace of the account without wrangler, each day one load, the last one more than a day ago. */
async function prepareNamespace(pairs: Map<string, string>, ...loads: TrafficRecord[][]): Promise<string[]> {
  const replace = ({ key, value }: Pair) => void pairs.set(key, value);
  const namespace = {
    get: async (keys: string[]) => keys.map((key) => pairs.get(key) ?? null),
    put: async (added: Pair[]) => added.forEach(replace),
    replace: async (pair: Pair) => replace(pair),
    delete: async (keys: string[]) => keys.forEach((key) => void pairs.delete(key)),
    list: async () => [...pairs.keys()],
    batchBytes: 1_000_000,
  };
  const store = createWritableKv(namespace, false, 0);
  const names: string[] = [];
  const now = Date.now();
  for (const [index, records] of loads.entries()) {
    vi.setSystemTime(now - (loads.length - index) * 25 * 3_600_000);
    names.push(await load(store, records));
  }
  vi.useRealTimers();
  return names;
}

test("a load, info and export work with a deployed namespace through the real wrangler", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const api = await openAccount();
  const choice = { store: "kv" as const, remote: true, config, settleMs: 20 };
  const wait = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const pairs = api.pairs.get(NAMESPACE)!;
  const names = await prepareNamespace(pairs, makeRecords(151), makeRecords(301), makeRecords(451));
  /** The keys of each load. */
  const countKeys = () => names.map((name) => [...pairs.keys()].filter((key) => key.includes(name)).length);
  expect(countKeys(), "each load removes the one before that which it replaced").toEqual([0, 4, 5]);

  // More blocks than the API returns at once.
  const records = makeRecords(101 * BLOCK_SIZE);
  await loadFiles([await writeCsv("all.csv", records)], choice);
  expect(print.mock.lastCall?.[0]).toBe(`Loaded ${records.length} records.`);
  expect(countKeys(), "readers may still need what was replaced").toEqual([0, 0, 5]);
  expect(wait).toHaveBeenCalledWith(
    "Waiting 0.02 seconds, until all locations of KV can read the new records.",
  );

  const out = join(folder, "exported.csv");
  await exportRecords({ ...choice, format: "csv", out });
  expect(await readFile(out, "utf8")).toBe(CSV_HEADER + records.toReversed().map(csvLine).join(""));
  await info({ ...choice, json: true });
  expect(JSON.parse(String(print.mock.lastCall?.[0]))).toMatchObject({
    ...{ store: "kv", remote: true, count: records.length },
    statistics: { ...statisticsOf(records), sources: ["all.csv"], source_count: 1 },
  });
  const { store } = await openRemoteStore("kv", choice);
  const { state } = await store.readState();
  const numbers = Array.from({ length: 101 }, (_, index) => index + 1);
  expect((await store.readBlocks(state.load, numbers)).every((text) => typeof text === "string")).toBe(true);
  expect(api.unknown).toEqual([]);
  await api.close();
});

describe("with a stand-in for wrangler,", () => {
  let wrangler: StandIn;
  beforeEach(async () => {
    wrangler = createWrangler();
    await writeConfig("id-of-records", "0");
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    // Without pauses between the attempts.
    vi.spyOn(Math, "random").mockReturnValue(0);
  });

  /**
   * The deployed database, through commands that may fail.
   * @param meet is called with the SQL of a command, and runs the command; what it throws is what wrangler prints
   */
  const connect = (meet: (sql: string, run: () => Promise<ProgramResult>) => Promise<ProgramResult>) => {
    const program: StandIn = async (args, env) => {
      const file = args.indexOf("--file");
      const sql =
        file < 0 ? String(args[args.indexOf("--command") + 1]) : await readFile(args[file + 1]!, "utf8");
      try {
        return await meet(sql, () => wrangler(args, env));
      } catch (error) {
        return { status: 1, output: "", errors: Object(error).message };
      }
    };
    return { store: "d1" as const, remote: true, config, program };
  };
  const isSwitch = (sql: string) => sql.includes("REPLACE INTO state");
  const open = async () => (await openRemoteStore("d1", { remote: true, config, program: wrangler })).store;
  const readLoaded = async () => {
    const store = await open();
    const { state } = await store.readState();
    return (await Array.fromAsync(readRecords(store, state))).reverse();
  };
  const printed = () => vi.mocked(console.error).mock.calls.join("\n");

  test("a load that fails keeps the old records, and the next load succeeds", async () => {
    await load(await open(), makeRecords(30));
    const before = await (await open()).readState();
    let files = 0;
    // Wrangler gets one file for each 20 MB, so this load takes two files.
    const choice = connect((sql, run) => {
      if (sql.startsWith("INSERT OR REPLACE INTO block ") && ++files === 2)
        throw new Error("Exceeded the daily limit of rows written");
      return run();
    });
    const { store } = await openRemoteStore("d1", choice);
    await expect(load(store, makeWideRecords(180_000))).rejects.toThrow("Exceeded the daily limit");
    expect(files).toBe(2);
    expect(await store.readState()).toEqual(before);
    expect(await readLoaded()).toEqual(makeRecords(30));
    await load(store, makeRecords(50));
    expect(await readLoaded()).toEqual(makeRecords(50));
  });

  test("a sweep that fails after the switch is a warning", async () => {
    await load(await open(), makeRecords(30));
    let isSwitched = false;
    const choice = connect((sql, run) => {
      if (isSwitched && sql.startsWith("DELETE")) throw new Error("overloaded");
      isSwitched ||= isSwitch(sql);
      return run();
    });
    await loadFiles([await writeCsv("new.csv", makeRecords(40))], choice);
    expect(console.log).toHaveBeenLastCalledWith("Loaded 40 records.");
    expect(printed()).toContain(
      "Warning: The new records are served, but what they replaced could not be removed:",
    );
    expect(printed()).not.toContain("still served");
    expect(await readLoaded()).toEqual(makeRecords(40));
  });

  test.each(["fetch failed", "D1_ERROR: overloaded"])(
    "a switch whose response was lost (%s) has happened",
    async (message) => {
      let failures = 1;
      const choice = connect(async (sql, run) => {
        const result = await run();
        if (isSwitch(sql) && failures-- > 0) throw new Error(message);
        return result;
      });
      await loadFiles([await writeCsv("new.csv", makeRecords(40))], choice);
      expect(console.log).toHaveBeenLastCalledWith("Loaded 40 records.");
      expect(await readLoaded()).toEqual(makeRecords(40));
    },
  );

  test("if the store fails from the switch on, what is served is not known", async () => {
    let isDown = false;
    const choice = connect(async (sql, run) => {
      isDown ||= isSwitch(sql);
      if (isDown) throw new Error("overloaded");
      return run();
    });
    const loading = loadFiles([await writeCsv("new.csv", makeRecords(40))], choice);
    await expect(loading).rejects.toThrow("\nTo see which records are served, run: npm run data -- info");
  });

  test("a command that fails for a moment is repeated, and one that would fail again is not", async () => {
    // A line of wrangler's own log, and of the request that it sent.
    const failures = [
      "fetch failed",
      "POST /accounts/account/d1 -> 503 Service Unavailable",
      "no such column",
    ];
    const { store } = await openRemoteStore(
      "d1",
      connect((sql, run) => {
        if (sql.startsWith("INSERT OR REPLACE INTO block ") && failures.length > 0)
          throw new Error(failures.shift());
        return run();
      }),
    );
    await expect(load(store, makeRecords(300))).rejects.toThrow("no such column");
    expect(failures).toEqual([]);
    await load(store, makeRecords(300));
    expect(await readLoaded()).toEqual(makeRecords(300));
  });

  test("an error shows the beginning of a command, which is not searched for a reason to repeat it", async () => {
    await open();
    config = join(folder, "fetch failed.json");
    await writeConfig("id-of-records", "0");
    let failures = 1;
    const { store } = await openRemoteStore(
      "d1",
      connect((sql, run) => {
        if (!sql.startsWith("DELETE FROM block ") || failures-- <= 0) return run();
        throw new Error("no such column");
      }),
    );
    const error: Error = await load(store, makeRecords(BLOCK_SIZE)).then(
      () => new Error("It did not fail."),
      (reason) => reason as Error,
    );
    expect(error.message).toMatch(
      /^wrangler d1 execute DB --yes --json --command DELETE FROM .{80,}\.\.\. .*failed:\nno such column$/s,
    );
    expect(error.message.length).toBeLessThan(500);
  });
});
