import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { applyMigrations } from "../../../data/stores/migrations.ts";
import { openRemoteStore } from "../../../data/stores/remote.ts";
import type { ProgramResult, RunProgram } from "../../../data/stores/wrangler.ts";
import { createName } from "../../../data/stores/writer.ts";
import { BLOCK_SIZE } from "../../../src/store/block.ts";
import { exportRecords } from "../../../tools/data/export.ts";
import { info } from "../../../tools/data/info.ts";
import { load } from "../../../tools/data/load.ts";
import { makeRecords, makeWideRecords, statisticsOf, writeCsv } from "../../records/sample.ts";
import { readAll } from "../../store/reader.ts";
import { createFolder } from "../../temporary-folder.ts";
import { type Cloudflare, openCloudflare } from "../deploy/cloudflare.ts";

/** The id of the namespace. */
const NAMESPACE = "0123456789abcdef0123456789abcdef";

const folder = createFolder();
const path = (name: string) => join(folder, name);
const config = path("wrangler.json");
/** A configuration whose name is a reason to repeat a command. */
const misleading = path("fetch failed.json");
const out = path("exported.csv");

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Writes a configuration with the ids of deployed stores. */
const writeConfig = (file: string, database_id: string) =>
  writeFile(
    file,
    JSON.stringify({
      name: "traffic-count-records",
      compatibility_date: "2026-11-01",
      vars: { STORE: "d1" },
      d1_databases: [
        {
          ...{ binding: "DB", database_name: "records", database_id },
          migrations_dir: resolve("data/migrations"),
        },
      ],
      kv_namespaces: [{ binding: "KV", id: NAMESPACE }],
    }),
  );

/** A file with so many records, which each test has to load. */
async function writeRecords(count: number, make = makeRecords): Promise<string[]> {
  await writeFile(path("all.csv"), writeCsv(make(count)));
  return [path("all.csv")];
}

describe("through the real wrangler,", () => {
  let api: Cloudflare;
  beforeEach(async () => {
    api = await openCloudflare();
    const env = {
      CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      XDG_CONFIG_HOME: folder,
    };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    api.namespaces.set(NAMESPACE, new Map());
    api.databases.set("id-of-records", { name: "records", sqlite: new DatabaseSync(":memory:") });
    await writeConfig(config, "id-of-records");
  });
  afterEach(async () => {
    expect(api.unknown).toEqual([]);
    await api.close();
  });

  /** Expects that export and info show what was loaded, oldest first. */
  async function expectLoaded(store: "d1" | "kv", count: number): Promise<void> {
    expect(console.log).toHaveBeenLastCalledWith(`Loaded ${count} records.`);
    const [choice, records] = [{ store, remote: true, config }, makeRecords(count)];
    await exportRecords({ ...choice, format: "csv", out });
    expect(await readFile(out, "utf8")).toBe(writeCsv(records.toReversed()));
    await info({ ...choice, json: true });
    expect(JSON.parse(vi.mocked(console.log).mock.lastCall?.[0])).toMatchObject({
      ...{ store, remote: true, count },
      statistics: { ...statisticsOf(records), sources: ["all.csv"], source_count: 1 },
    });
  }

  test("load, info and export work with a deployed database, also if a request is refused once", async () => {
    api.refused = /^POST .*\/import$/;
    await load(await writeRecords(BLOCK_SIZE + 1), { store: "d1", remote: true, config });
    expect(api.refused).toBeUndefined();
    await expectLoaded("d1", BLOCK_SIZE + 1);
  });

  test("load, info and export work with a deployed namespace, in which a load removes old ones", async () => {
    const pairs = api.namespaces.get(NAMESPACE)!;
    const served = createName(Date.now() - 50 * 3_600_000);
    const abandoned = createName(Date.now() - 25 * 3_600_000);
    const loaded_at = new Date(Date.now() - 49 * 3_600_000).toISOString();
    pairs.set("state", JSON.stringify({ load: served, count: 0, loaded_at, sequence: 1, source: "" }));
    for (const name of [served, abandoned]) pairs.set(`block/${name}/0`, "{}");
    const has = (name: string) => [...pairs.keys()].some((key) => key.includes(name));
    const count = BLOCK_SIZE + 1;
    const choice = { store: "kv", remote: true, config, settleMs: 20 } as const;
    await load(await writeRecords(count), choice);
    expect([has(abandoned), has(served)], "readers may still need what was replaced").toEqual([false, true]);
    expect(console.error).toHaveBeenCalledWith(
      "Waiting 0.02 seconds, until all locations of KV can read the new records.",
    );
    await expectLoaded("kv", count);
    const { store } = await openRemoteStore("kv", choice);
    const { state } = await store.readState();
    // More blocks than the API returns at once.
    const numbers = Array.from({ length: 101 }, (_, index) => 101 - index);
    const texts = await store.readBlocks(state.load, numbers);
    expect(texts.map((text) => text !== null)).toEqual(numbers.map((number) => number <= 2));
  });
});

describe("with a stand-in for wrangler,", () => {
  let sqlite: DatabaseSync;
  beforeEach(async () => {
    sqlite = new DatabaseSync(":memory:");
    await applyMigrations(sqlite);
    for (const file of [config, misleading]) await writeConfig(file, "id-of-records");
    // Without pauses between the attempts.
    vi.spyOn(Math, "random").mockReturnValue(0);
  });

  function execute(args: string[], sql: string): ProgramResult {
    const countChanges = () => Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);
    const before = countChanges();
    if (args.includes("--file")) sqlite.exec(`BEGIN; ${sql}; COMMIT`);
    const results = args.includes("--file") ? [] : sqlite.prepare(sql).all();
    const output = JSON.stringify([{ results, meta: { changes: countChanges() - before } }]);
    return { status: 0, output, errors: "" };
  }

  /**
   * The deployed database, through commands that may fail.
   * @param meet is called with the SQL of a command, and runs the command; what it throws is what wrangler prints
   */
  function connect(
    meet: (sql: string, run: () => ProgramResult) => ProgramResult = (_, run) => run(),
    file = config,
  ) {
    const program: RunProgram = async (args) => {
      const option = (name: string) => args[args.indexOf(name) + 1]!;
      const sql = args.includes("--file") ? await readFile(option("--file"), "utf8") : option("--command");
      try {
        return meet(sql, () => execute(args, sql));
      } catch (error) {
        return { status: 1, output: "", errors: Object(error).message };
      }
    };
    return { store: "d1" as const, remote: true, config: file, program };
  }
  const isSwitch = (sql: string) => sql.includes("REPLACE INTO state");
  const isWrite = (sql: string) => sql.startsWith("INSERT OR REPLACE INTO block ");
  const readLoaded = async () =>
    (await readAll((await openRemoteStore("d1", connect())).store)).records.reverse();

  test("a load that fails in its second file of 20 MB keeps the old records", async () => {
    await load(await writeRecords(30), connect());
    let files = 0;
    const choice = connect((sql, run) => {
      if (isWrite(sql) && ++files === 2) throw new Error("Exceeded the daily limit of rows written");
      return run();
    });
    await expect(load(await writeRecords(180_000, makeWideRecords), choice)).rejects.toThrow(
      /Exceeded the daily limit.*\nWhat was loaded before is still served\.$/s,
    );
    expect(await readLoaded()).toEqual(makeRecords(30));
  });

  test("a sweep that fails after the switch is a warning", async () => {
    let isSwitched = false;
    const choice = connect((sql, run) => {
      if (isSwitched && sql.startsWith("DELETE")) throw new Error("overloaded");
      isSwitched ||= isSwitch(sql);
      return run();
    });
    await load(await writeRecords(40), choice);
    expect(console.log).toHaveBeenLastCalledWith("Loaded 40 records.");
    const printed = vi.mocked(console.error).mock.calls.join("\n");
    expect(printed).toContain(
      "Warning: The new records are served, but what they replaced could not be removed",
    );
  });

  test.each(["fetch failed", "D1_ERROR: overloaded"])(
    "a switch whose response was lost (%s) has happened",
    async (message) => {
      let failures = 1;
      const choice = connect((sql, run) => {
        const result = run();
        if (isSwitch(sql) && failures-- > 0) throw new Error(message);
        return result;
      });
      await load(await writeRecords(40), choice);
      expect(await readLoaded()).toEqual(makeRecords(40));
    },
  );

  test("if the store fails from the switch on, what is served is not known", async () => {
    let isDown = false;
    const choice = connect((sql, run) => {
      isDown ||= isSwitch(sql);
      if (isDown) throw new Error("overloaded");
      return run();
    });
    await expect(load(await writeRecords(40), choice)).rejects.toThrow(
      "\nTo see which records are served, run: npm run data -- info",
    );
  });

  test("a command that fails for a moment is repeated, and one that would fail again is not", async () => {
    // A line of wrangler's own log, and of the request that it sent.
    const failures = [
      "fetch failed",
      "POST /accounts/account/d1 -> 503 Service Unavailable",
      "no such column",
    ];
    const choice = connect((sql, run) => {
      if (isWrite(sql) && failures.length > 0) throw new Error(failures.shift());
      return run();
    });
    await expect(load(await writeRecords(300), choice)).rejects.toThrow("no such column");
    expect(failures).toEqual([]);
  });

  test("an error shows the beginning of a command, which is not searched for a reason to repeat it", async () => {
    let failures = 1;
    const fail = (sql: string, run: () => ProgramResult) => {
      if (!sql.startsWith("DELETE FROM block ") || failures-- <= 0) return run();
      throw new Error("no such column");
    };
    const choice = connect(fail, misleading);
    await expect(load(await writeRecords(30), choice)).rejects.toThrow(
      /^wrangler d1 execute DB --yes --json --command DELETE FROM .{80,100}\.\.\. [^\n]{1,300}failed:\nno such column\n/,
    );
  });
});
