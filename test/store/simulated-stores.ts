import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS, splitStatements } from "../../data/stores/migrations.ts";
import type { SqlDatabase } from "../../src/store/d1.ts";
import { type KeyValueStore, STATE_KEY } from "../../src/store/kv.ts";

/** A number from 0 to 1, exclusive. */
export type Random = () => number;

/** The clock of the whole simulation; that of a writer may differ. */
export type Clock = () => number;

/** Called with the revision when readers are switched. */
export type OnSwitch = (revision: string) => void;

/**
 * A KV namespace without timers. A location shows each key, or its absence, as it was at some time within the lag, and never
 * goes back behind what it has shown.
 */
export function createSimulatedKv(
  now: Clock,
  random: Random = () => 0,
  lagMs = 0,
  onSwitch: OnSwitch = () => {},
) {
  const history = new Map<string, { at: number; value: string | null }[]>();
  const valueAt = (key: string, time: number) =>
    history.get(key)?.findLast(({ at }) => at <= time)?.value ?? null;
  const write = (key: string, value: string | null) => {
    history.set(key, [...(history.get(key) ?? []), { at: now(), value }]);
    if (key === STATE_KEY && value !== null) onSwitch(JSON.parse(value).revision);
  };
  return {
    openLocation(): KeyValueStore {
      const shown = new Map<string, number>();
      const view = (key: string) => {
        const earliest = Math.max(now() - lagMs, shown.get(key) ?? 0);
        const time = earliest + Math.floor(random() * (now() - earliest + 1));
        shown.set(key, time);
        return valueAt(key, time);
      };
      return {
        get: async (keys) => keys.map(view),
        put: async (pairs) => {
          for (const { key, value } of pairs) write(key, value);
        },
        replace: async ({ key, value }) => void write(key, value),
        delete: async (keys) => {
          for (const key of keys) write(key, null);
        },
        list: async () =>
          [...history.keys()].filter((key) => valueAt(key, now() - Math.floor(random() * lagMs)) !== null),
        batchBytes: 1,
      };
    },
  };
}

/** A D1 database in SQLite, with a replica on which writes show later. */
export function createSimulatedD1(now: Clock, random: Random, lagMs: number, onSwitch: OnSwitch) {
  const open = () => {
    const database = new DatabaseSync(":memory:");
    const sql = readFileSync(`${MIGRATIONS}/0004_tail.sql`, "utf8");
    for (const statement of splitStatements(sql)) database.exec(statement);
    return database;
  };
  const [primary, replica] = [open(), open()];
  const pending: { at: number; statements: string[] }[] = [];
  let revision = "";
  const run = (database: DatabaseSync, statements: string[]) => {
    database.exec("BEGIN");
    try {
      const results = statements.map((sql) => database.prepare(sql).run());
      database.exec("COMMIT");
      return Number(results.at(-1)?.changes ?? 0);
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };
  const catchUp = () => {
    while (pending[0] && pending[0].at <= now()) run(replica, pending.shift()?.statements ?? []);
  };
  const database: SqlDatabase = {
    async query(sql, parameters, newest) {
      catchUp();
      const named = Object.fromEntries(parameters.map((value, index) => [`?${index + 1}`, value]));
      const statement = (newest ? primary : replica).prepare(sql);
      return statement.all(named) as Awaited<ReturnType<SqlDatabase["query"]>>;
    },
    async write(statements) {
      const changes = run(primary, statements);
      const state = primary.prepare("SELECT revision FROM state").get();
      if (state?.revision !== revision) {
        revision = String(state?.revision);
        onSwitch(revision);
      }
      pending.push({ at: Math.max(pending.at(-1)?.at ?? 0, now() + random() * lagMs), statements });
      return changes;
    },
    batchBytes: 1,
  };
  return {
    database,
    /** The ids of all records that are served, oldest first. */
    listIds: () =>
      primary
        .prepare("SELECT id FROM records ORDER BY position")
        .all()
        .map(({ id }) => Number(id)),
    close: () => [primary, replica].map((one) => one.close()),
  };
}
