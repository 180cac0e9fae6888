import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { SqlRow } from "../../src/store/d1.ts";
import { CURRENT_SNAPSHOT_KEY } from "../../src/store/kv.ts";
import { MIGRATIONS_FOLDER, type WritableDatabase } from "../../tools/data/stores/d1-writer.ts";
import {
  createWritableKvStore,
  DEPLOYED_KV,
  type WritableNamespace,
} from "../../tools/data/stores/kv-writer.ts";
import type { WritableStore } from "../../tools/data/stores/writer.ts";
import { getTrueTime, type Random } from "./virtual-clock.ts";

/** Called with the id of the new current snapshot. */
type OnSwitch = (id: string) => void;

/** The share of the keys that a put of a simulated KV loses. */
const LOST_SHARE = 0.03;

/** The share of the reads of blocks that are later than the lag, and how late they can be: KV promises nothing. */
const LATE_SHARE = 0.05;
export const MAX_LATE_MS = 300_000;

/**
 * Creates a KV namespace without timers, and returns a function that opens it as one location sees it. A location reads each key, or its
 * absence, as it was at a random time within the lag, and never an older value later. It caches both, and returns what it has cached to
 * each read that accepts an answer of this age. A put loses some keys, and succeeds anyway.
 */
export function createSimulatedKv(random: Random, lagMs: number, onSwitch: OnSwitch): () => WritableStore {
  const history = new Map<string, { at: number; value: string | null }[]>();
  const valueAt = (key: string, time: number) =>
    history.get(key)?.findLast(({ at }) => at <= time)?.value ?? null;
  const write = (key: string, value: string | null) => {
    history.set(key, [...(history.get(key) ?? []), { at: getTrueTime(), value }]);
    if (key === CURRENT_SNAPSHOT_KEY && value !== null) onSwitch(JSON.parse(value).id);
  };
  return () => {
    const shown = new Map<string, number>();
    const view = (key: string) => {
      const isLate = key !== CURRENT_SNAPSHOT_KEY && random() < LATE_SHARE;
      // The other half of the lag is the time for which the current snapshot is cached.
      const earliest = Math.max(getTrueTime() - (isLate ? MAX_LATE_MS : lagMs / 2), shown.get(key) ?? 0);
      const time = earliest + Math.floor(random() * (getTrueTime() - earliest + 1));
      shown.set(key, time);
      return valueAt(key, time);
    };
    const cached = new Map<string, { readAt: number; value: string | null }>();
    const read = (key: string, cacheTtl: number) => {
      const earlier = cached.get(key);
      if (earlier && getTrueTime() < earlier.readAt + 1_000 * cacheTtl) return earlier.value;
      const value = view(key);
      cached.set(key, { readAt: getTrueTime(), value });
      return value;
    };
    const namespace: WritableNamespace = {
      get: async (keys, cacheTtl) => keys.map((key) => read(key, cacheTtl)),
      put: async (pairs) => {
        const kept = pairs.filter(() => random() >= LOST_SHARE);
        for (const { key, value } of kept) write(key, value);
      },
      delete: async (keys) => {
        for (const key of keys) write(key, null);
      },
      async list(prefix) {
        const keys = [...history.keys()].filter((key) => key.startsWith(prefix));
        return keys.filter((key) => valueAt(key, getTrueTime() - Math.floor(random() * lagMs)) !== null);
      },
      batchBytes: 1,
    };
    return createWritableKvStore(namespace, DEPLOYED_KV);
  };
}

/** Creates a D1 database in SQLite, with a replica that lags. */
export function createSimulatedDatabase(random: Random, lagMs: number, onSwitch: OnSwitch): WritableDatabase {
  const primary = openDatabase();
  const replica = openDatabase();
  const pending: { at: number; statements: string[] }[] = [];
  let current: unknown = null;
  const catchUp = () => {
    while (pending[0] && pending[0].at <= getTrueTime()) run(replica, pending.shift()?.statements ?? []);
  };
  const write = (statements: string[]) => {
    const changes = run(primary, statements);
    const id = primary.prepare("SELECT id FROM snapshot WHERE role = 'current'").get()?.id;
    if (id !== current) onSwitch(String(id));
    current = id;
    pending.push({ at: Math.max(pending.at(-1)?.at ?? 0, getTrueTime() + random() * lagMs), statements });
    return changes;
  };
  return {
    async query(sql, parameters, constraint) {
      catchUp();
      return (constraint === "first-primary" ? primary : replica).prepare(sql).all(...parameters) as SqlRow[];
    },
    write: async (statements) => void write(statements),
    run: async (sql) => write([sql]),
    batchBytes: 1,
  };
}

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(readFileSync(`${MIGRATIONS_FOLDER}/0001_collection.sql`, "utf8"));
  return database;
}

function run(database: DatabaseSync, statements: string[]): number {
  database.exec("BEGIN");
  try {
    const results = statements.map((sql) => database.prepare(sql).run());
    database.exec("COMMIT");
    return Number(results.at(-1)?.changes ?? 0);
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
