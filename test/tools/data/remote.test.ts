import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { applyMigrations } from "../../../data/writer/local-stores.ts";
import { openRemoteStore } from "../../../data/writer/remote-stores.ts";
import type { ProcessResult, WranglerRunner } from "../../../data/writer/wrangler.ts";
import { createLoadName } from "../../../data/writer/writer.ts";
import { BLOCK_SIZE } from "../../../src/store/block.ts";
import { exportRecords } from "../../../tools/data/export.ts";
import { info } from "../../../tools/data/info.ts";
import { loadFiles } from "../../../tools/data/load.ts";
import { createStatistics, formatCsv, makeRecords, makeWideRecords } from "../../records/sample.ts";
import { readAll } from "../../store/reader.ts";
import { createFolder } from "../../temporary-folder.ts";
import { type Cloudflare, openCloudflare } from "../deploy/cloudflare.ts";

/** The id of the namespace. */
const NAMESPACE = "0123456789abcdef0123456789abcdef";

const folder = createFolder();
const path = (name: string) => join(folder, name);
/** The name of the configuration is a part of each command, but no reason to repeat one. */
const config = path("fetch failed.json");
const database = { binding: "DB", database_name: "records", database_id: "id-of-records" };
const configuration = {
  name: "traffic-count-records",
  compatibility_date: "2026-11-01",
  vars: { STORE: "d1" },
  d1_databases: [{ ...database, migrations_dir: resolve("data/migrations") }],
  kv_namespaces: [{ binding: "KV", id: NAMESPACE }],
};
await writeFile(config, JSON.stringify(configuration));

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const SWITCH = "REPLACE INTO state";

/** The command uses the same store, and can be copied to a shell. */
const UNKNOWN =
  /\nCould not determine which records are being served\. To find out, run: npm run data -- info --remote --store d1 --config '\/.*\/fetch failed\.json'$/;

/** A file with so many records, which each test has to load. */
async function writeRecords(count: number, make = makeRecords): Promise<string[]> {
  await writeFile(path("all.csv"), formatCsv(make(count)));
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
  });
  afterEach(async () => {
    expect(api.unknown).toEqual([]);
    await api.close();
  });

  /** Expects that export and info show what was loaded, oldest first. */
  async function expectLoaded(store: "d1" | "kv", count: number): Promise<void> {
    expect(console.log).toHaveBeenLastCalledWith(`Loaded ${count} records.`);
    const [choice, records] = [{ store, remote: true, config }, makeRecords(count)];
    const out = path("exported.csv");
    await exportRecords({ ...choice, format: "csv", out });
    expect(await readFile(out, "utf8")).toBe(formatCsv(records.toReversed()));
    await info({ ...choice, json: true });
    expect(JSON.parse(vi.mocked(console.log).mock.lastCall?.[0])).toMatchObject({
      store,
      remote: true,
      count,
      statistics: { ...createStatistics(records), sources: ["all.csv"], source_count: 1 },
    });
  }

  test("load, info and export work with a deployed database, also if a request is refused once", async () => {
    const tables = api.databases
      .get("id-of-records")!
      .sqlite.prepare("SELECT count(*) AS tables FROM sqlite_schema");
    await info({ store: "d1", remote: true, config });
    expect(console.log).toHaveBeenLastCalledWith("Nothing is loaded in the d1 store (deployed).");
    expect(tables.get(), "reading creates no tables").toEqual({ tables: 0 });
    api.refused = /^POST .*\/import$/;
    await loadFiles(await writeRecords(BLOCK_SIZE + 1), { store: "d1", remote: true, config });
    expect(api.refused).toBeUndefined();
    await expectLoaded("d1", BLOCK_SIZE + 1);
  });

  test("load, info and export work with a deployed namespace, which loses a key, and in which a load removes old ones", async () => {
    const pairs = api.namespaces.get(NAMESPACE)!;
    const served = createLoadName(Date.now() - 50 * 3_600_000);
    const abandoned = createLoadName(Date.now() - 25 * 3_600_000);
    const loaded_at = new Date(Date.now() - 49 * 3_600_000).toISOString();
    pairs.set("state", JSON.stringify({ load: served, count: 0, loaded_at, sequence: 1, source: "" }));
    for (const name of [served, abandoned]) pairs.set(`block/${name}/0`, "{}");
    const has = (name: string) => [...pairs.keys()].some((key) => key.includes(name));
    const count = BLOCK_SIZE + 1;
    const choice = { store: "kv", remote: true, config, propagationMs: 20 } as const;
    api.lost = /\/2$/;
    await loadFiles(await writeRecords(count), choice);
    expect([has(abandoned), has(served)], "readers may still need what was replaced").toEqual([false, true]);
    expect(console.error).toHaveBeenCalledWith(
      "Waiting 0.02 seconds until all KV locations can see the new values.",
    );
    expect(console.error).toHaveBeenCalledWith("Warning: The store lost 1 block. Writing them again.");
    await expectLoaded("kv", count);
  });

  const deployed = { store: "d1", remote: true, config } as const;
  const findDatabase = () => api.databases.get("id-of-records")!.sqlite;

  test.each([
    [
      "and is served then, is named",
      "UPDATE state SET load = 'other', source = 'other.csv', loaded_at = '2026-11-21T00:00:00.000Z'",
      'Another load is being served: "other.csv", loaded at 2026-11-21T00:00:00.000Z. To replace it, run the command again.',
    ],
    ["and has not switched, is not", "", "Nothing is loaded."],
  ])("another load that removes the blocks of this one before its switch, %s", async (_, sql, outcome) => {
    const sqlite = findDatabase();
    const exec = sqlite.exec.bind(sqlite);
    vi.spyOn(sqlite, "exec").mockImplementation((statements) => {
      exec(statements);
      if (statements.includes("INTO block")) exec(`DELETE FROM block; ${sql}`);
    });
    const message = `Another load ran at the same time and deleted the blocks of this load.\n${outcome}`;
    await expect(loadFiles(await writeRecords(30), deployed)).rejects.toThrow(message);
  });

  test("a load whose database fails from the switch on says how to see what is served", async () => {
    const sqlite = findDatabase();
    const prepare = sqlite.prepare.bind(sqlite);
    let isFailing = false;
    vi.spyOn(sqlite, "prepare").mockImplementation((sql) => {
      if (sql.includes(SWITCH)) isFailing = prepare(sql).run().changes > 0;
      if (isFailing) throw new Error("internal error");
      return prepare(sql);
    });
    await expect(loadFiles(await writeRecords(30), deployed)).rejects.toThrow(UNKNOWN);
    isFailing = false;
    await info({ ...deployed, json: true });
    expect(JSON.parse(vi.mocked(console.log).mock.lastCall?.[0])).toMatchObject({ count: 30 });
  });

  test("a load into a namespace whose sweep fails says that a later load deletes the replaced blocks", async () => {
    const pairs = api.namespaces.get(NAMESPACE)!;
    const loaded_at = new Date(Date.now() - 3_600_000).toISOString();
    pairs.set("state", JSON.stringify({ load: "old", count: 0, loaded_at, sequence: 1, source: "" }));
    const set = pairs.set.bind(pairs);
    vi.spyOn(pairs, "set").mockImplementation((key, value) => {
      if (key === "state") Object.assign(api, { refused: /GET .*\/keys/, refusal: 10_000 });
      return set(key, value);
    });
    await loadFiles(await writeRecords(30), { store: "kv", remote: true, config, propagationMs: 20 });
    expect(console.error).toHaveBeenCalledWith(
      expect.stringMatching(
        /^Warning: The new records are being served\. The replaced blocks could not be deleted, and a later load deletes them\. The reason:\nwrangler kv key list /,
      ),
    );
  });

  describe("info", () => {
    /** Lets a statement act before the database reads the statistics. */
    function beforeStatistics(act: (sqlite: DatabaseSync) => void): void {
      const sqlite = findDatabase();
      const prepare = sqlite.prepare.bind(sqlite);
      vi.spyOn(sqlite, "prepare").mockImplementation((sql) => {
        if (sql.includes("FROM block")) act(sqlite);
        return prepare(sql);
      });
    }

    test("shows the other load if a load ends while it reads", async () => {
      await loadFiles(await writeRecords(30), deployed);
      const rename = "UPDATE block SET load = 'new'; UPDATE state SET load = 'new'";
      beforeStatistics((sqlite) => sqlite.exec(rename));
      await info(deployed);
      expect(console.log).toHaveBeenLastCalledWith(expect.stringMatching(/^load +new$/m));
    });

    test("shows the state if the statistics are missing", async () => {
      await loadFiles(await writeRecords(30), deployed);
      beforeStatistics((sqlite) => sqlite.exec("DELETE FROM block"));
      await expect(info(deployed)).rejects.toThrow(/^Block 0 of load \w+ is missing$/);
      expect(console.log).toHaveBeenLastCalledWith(
        expect.stringMatching(/^store +d1 \(deployed\)\n(.*\n)*sources +all\.csv\n(.*\n)*records +30$/),
      );
    });

    test("says for what it waits if Cloudflare does not respond, and that it may be stopped", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      const sqlite = findDatabase();
      const prepare = sqlite.prepare.bind(sqlite);
      let early: unknown[] = [];
      vi.spyOn(sqlite, "prepare").mockImplementationOnce((sql) => {
        vi.advanceTimersByTime(59_000);
        early = [...vi.mocked(console.error).mock.calls];
        vi.advanceTimersByTime(1_000);
        // The rest must not wait for a fake timer.
        vi.useRealTimers();
        return prepare(sql);
      });
      await info(deployed);
      expect(early).toEqual([]);
      expect(console.error).toHaveBeenCalledWith(
        expect.stringMatching(/^Still waiting for `wrangler d1 execute DB .*SELECT .*`\. .* safe to stop /),
      );
    });
  });

  test("a load into a database that does not exist loads nothing", async () => {
    api.databases.clear();
    const loading = loadFiles(await writeRecords(30), deployed);
    await expect(loading).rejects.toThrow(/could not be found.*\nNothing was loaded\.$/s);
  });
});

test("a load into a namespace that never shows its state says what is known, and no progress while it waits", async () => {
  const timers = ["setTimeout", "setInterval", "clearInterval"] as const;
  vi.useFakeTimers({ toFake: ["Date", ...timers] }).setTimerTickMode("nextTimerAsync");
  const keys = new Set<string>();
  const wrangler: WranglerRunner = async ([, , command = "", file = ""]) => {
    if (command === "put") for (const { key } of JSON.parse(await readFile(file, "utf8"))) keys.add(key);
    const output = command === "list" ? [...keys].map((name) => ({ name })) : {};
    return { status: 0, stdout: JSON.stringify(output), stderr: "" };
  };
  const loading = loadFiles(await writeRecords(30), { store: "kv", remote: true, config, wrangler });
  await expect(loading).rejects.toThrow(
    /^The namespace does not show the new state\.\nCould not determine which .* info --remote --store kv --config /,
  );
  vi.useRealTimers();
  const wait = "Waiting 70 seconds until all KV locations can see the new values.";
  // On a slow machine, the fake clock runs ahead of the commands.
  const printed = vi
    .mocked(console.error)
    .mock.calls.flat()
    .filter((line) => !/^Still/.test(line));
  expect(printed.slice(printed.indexOf(wait))).toEqual([wait, wait]);
});

describe("with a stand-in for wrangler, a load", () => {
  let sqlite: DatabaseSync;
  beforeEach(async () => {
    sqlite = new DatabaseSync(":memory:");
    await applyMigrations(sqlite);
    // Without pauses between the attempts.
    vi.spyOn(Math, "random").mockReturnValue(0);
  });

  const countChanges = () => Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);

  /** Executes what a command of wrangler sends to the database. */
  function execute(sql: string, isFile: boolean): ProcessResult {
    const before = countChanges();
    if (isFile) sqlite.exec(`BEGIN; ${sql}; COMMIT`);
    const results = isFile ? [] : sqlite.prepare(sql).all();
    const stdout = JSON.stringify([{ results, meta: { changes: countChanges() - before } }]);
    return { status: 0, stdout, stderr: "" };
  }

  /** From the first command on that contains `since`, commands print these errors, one each; an empty one lets it succeed. */
  interface Failures {
    since: string;
    errors: string[];
    /** Only the response is lost. */
    isLost?: boolean;
  }

  /** The deployed database, through commands that may fail. */
  function connect({ since, errors, isLost = false }: Failures = { since: "", errors: [] }) {
    let left: string[] | undefined;
    const wrangler: WranglerRunner = async (args) => {
      const value = String(args[args.findIndex((arg) => arg === "--file" || arg === "--command") + 1]);
      const isFile = args.includes("--file");
      const sql = isFile ? await readFile(value, "utf8") : value;
      if (sql.includes(since)) left ??= [...errors];
      const error = left?.shift();
      const failed = { status: 1, stdout: "", stderr: String(error) };
      if (error && !isLost) return failed;
      const result = execute(sql, isFile);
      return error ? failed : result;
    };
    return { store: "d1" as const, remote: true, config, wrangler };
  }

  const WRITE = "INSERT OR REPLACE INTO block ";
  const loseSwitch = (error: string): Failures => ({ since: SWITCH, errors: [error], isLost: true });
  const KEPT = "\nThe previous records are still being served.";

  test.each<[string, Failures, served: number, error?: RegExp]>([
    [
      "whose second file of 20 MB is refused keeps the old records",
      { since: WRITE, errors: ["", "Exceeded the daily limit of rows written"] },
      30,
      new RegExp(`Exceeded the daily limit.*${KEPT}$`, "s"),
    ],
    [
      "repeats a command that fails for a moment, and not one that would fail again",
      {
        since: WRITE,
        // A line of wrangler's own log, and of the request that it sent.
        errors: ["fetch failed", "POST /accounts/account/d1 -> 503 Service Unavailable", "no such column"],
      },
      30,
      new RegExp(`failed:\nno such column${KEPT}$`),
    ],
    [
      "shows the beginning of a command that fails",
      { since: "DELETE FROM block ", errors: ["no such column"] },
      30,
      /^wrangler d1 execute DB --yes --json --command DELETE FROM .{80,100}\.\.\. [^\n]{1,300}failed:\nno such column\n/,
    ],
    ["succeeds if the response of its switch is lost", loseSwitch("fetch failed"), 40],
    ["succeeds if its switch failed, but happened", loseSwitch("overloaded"), 40],
    [
      "does not know what is served if the store fails from the switch on",
      { since: SWITCH, errors: Array(20).fill("overloaded") },
      30,
      UNKNOWN,
    ],
    ["warns if the sweep after the switch fails", { since: SWITCH, errors: ["", "overloaded"] }, 40],
  ])("%s", async (name, failures, served, error) => {
    await loadFiles(await writeRecords(30), connect());
    const files = name.includes("20 MB")
      ? await writeRecords(180_000, makeWideRecords)
      : await writeRecords(40);
    const loading = loadFiles(files, connect(failures));
    if (error) await expect(loading).rejects.toThrow(error);
    else await loading;
    const { records } = await readAll(openRemoteStore("d1", connect()).store);
    expect(records.reverse()).toEqual(makeRecords(served));
    const warning = "Warning: The new records are being served. The replaced blocks could not be deleted";
    expect(vi.mocked(console.error).mock.calls.join("\n").includes(warning)).toBe(name.startsWith("warns"));
  });
});
