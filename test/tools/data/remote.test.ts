import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { readRecords } from "../../../data/stored-records.ts";
import { listMigrations, MIGRATIONS } from "../../../data/stores/migrations.ts";
import { openRemoteStore } from "../../../data/stores/remote.ts";
import type { StandIn } from "../../../data/stores/wrangler.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { createD1Store } from "../../../src/store/d1.ts";
import { load } from "../../../src/store/writer.ts";
import { append } from "../../../tools/data/append.ts";
import { exportRecords } from "../../../tools/data/export.ts";
import { info } from "../../../tools/data/info.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { openApi } from "../deploy/stub/api.ts";
import { openPlatform } from "../deploy/stub/platform.ts";
import type { Api } from "../deploy/stub/route.ts";
import { statisticsOf } from "./statistics.ts";

let folder: string;
let config: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "remote-test-"));
  config = join(folder, "wrangler.json");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

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
  api.namespaces.push({ id: "0123456789abcdef0123456789abcdef", title: "records-kv" });
  api.pairs.set("0123456789abcdef0123456789abcdef", new Map());
  await writeConfig(uuid, "0123456789abcdef0123456789abcdef");
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
  const store = createD1Store({
    query: async (sql, parameters) =>
      databases.query(uuid, { sql, params: parameters as never })[0]!.results as never,
    async write(statements) {
      for (const sql of statements) databases.query(uuid, { sql });
      return 0;
    },
    batchBytes: 1_000_000,
  });
  await load(store, records);
}

test("append, info and export work with a deployed database through the real wrangler", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const api = await openAccount();
  const choice = { store: "d1" as const, remote: true, config };
  const records = makeRecords(40);
  await prepareDatabase(api, records.slice(0, 24));
  await append([await writeCsv("all.csv", records)], { ...choice, skipKnown: true });
  expect(print.mock.lastCall?.[0]).toBe(
    "Skipped 24 that are loaded already. Added 16 records; 40 are loaded.",
  );
  const out = join(folder, "exported.csv");
  await Promise.all([info({ ...choice, json: true }), exportRecords({ ...choice, format: "csv", out })]);
  expect(await readFile(out, "utf8")).toBe(CSV_HEADER + records.map(csvLine).join(""));
  const printed = print.mock.calls.map(([line]) => String(line)).find((line) => line.startsWith("{"));
  expect(JSON.parse(String(printed))).toMatchObject({
    store: "d1",
    remote: true,
    count: 40,
    statistics: { ...statisticsOf(records), sources: [{ kind: "file", name: "all.csv" }] },
  });
  expect(api.unknown).toEqual([]);
  await api.close();
});

test("if wrangler fails at the second file of a load, the old records stay, and the next load succeeds", async () => {
  const platform = await openPlatform();
  platform.change(({ databases }) => {
    databases.push({ uuid: "id-of-records", name: "records" });
  });
  await writeConfig("id-of-records", "0");
  let filesUntilFailure = Number.POSITIVE_INFINITY;
  const program: StandIn = async (args, env) => {
    if (args.includes("--file") && --filesUntilFailure === 0)
      return { status: 1, output: "", errors: "Exceeded the daily limit of rows written" };
    return platform.wrangler(args, env);
  };
  const { store } = await openRemoteStore("d1", { remote: true, config, program });
  const before = await load(store, makeRecords(30));
  // Wrangler gets one file for each 20 MB, so this load takes two files.
  filesUntilFailure = 2;
  await expect(load(store, makeWideRecords(80_000))).rejects.toThrow("Exceeded the daily limit");
  expect(await store.readState({ newest: true })).toEqual(before);
  expect(await Array.fromAsync(readRecords(store, before))).toEqual(makeRecords(30));
  filesUntilFailure = Number.POSITIVE_INFINITY;
  const after = await load(store, makeRecords(50));
  expect(await store.readState({ newest: true })).toEqual(after);
  expect(await Array.fromAsync(readRecords(store, after))).toEqual(makeRecords(50));
  await platform.close();
});
