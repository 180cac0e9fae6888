import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Env } from "../../src/bindings.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { toSqlDatabase } from "../../src/store/d1.ts";
import { toReadableNamespace } from "../../src/store/kv.ts";
import type { StoreName } from "../../tools/data/stores/configuration.ts";
import { createWritableD1Store } from "../../tools/data/stores/d1-writer.ts";
import {
  createWritableKvStore,
  DEPLOYED_KV,
  LOCAL_KV,
  type WritableNamespace,
} from "../../tools/data/stores/kv-writer.ts";
import {
  applyMigrations,
  createLocalDatabase,
  createLocalNamespace,
} from "../../tools/data/stores/local-stores.ts";
import { replaceCollection, type WritableStore, type WriteOptions } from "../../tools/data/stores/writer.ts";
import { toContent } from "./sample-records.ts";
import { createFolder } from "./temporary-folder.ts";

/** The times of a deployed namespace that shows each change at once. */
export const DEPLOYED_WITHOUT_LAG = { ...DEPLOYED_KV, propagationMs: 0 };

type Stores = Awaited<ReturnType<typeof openLocalStores>>;

/** Opens an empty database and an empty namespace in SQLite and files, as local commands do. A runtime would be much slower. */
export async function openLocalStores() {
  const namespace = createLocalNamespace(new DatabaseSync(":memory:"), join(createFolder(), "blobs"), 0);
  const sqlite = new DatabaseSync(":memory:");
  await applyMigrations(sqlite);
  const database = createLocalDatabase(sqlite);
  return {
    database,
    namespace,
    /** Opens the database or the namespace as a deployed store without lag. */
    open: (name: StoreName): WritableStore =>
      name === "d1"
        ? createWritableD1Store(database)
        : createWritableKvStore(namespace, DEPLOYED_WITHOUT_LAG),
    /** Empties both stores. */
    async clear() {
      await database.write([
        "DELETE FROM block",
        "DELETE FROM snapshot WHERE role = 'previous'",
        "UPDATE snapshot SET id = NULL, count = 0",
      ]);
      await namespace.delete(await namespace.list(""));
    },
  };
}

/** Opens the store of a local worker. */
export function openWorkerStore({ DB, KV }: Required<Env>, name: StoreName): WritableStore {
  const batchBytes = 250_000;
  if (name === "d1")
    return createWritableD1Store({
      ...toSqlDatabase(DB),
      write: async (statements) => void (await DB.batch(statements.map((sql) => DB.prepare(sql)))),
      run: async (sql) => (await DB.prepare(sql).run()).meta.changes,
      batchBytes,
    });
  const namespace: WritableNamespace = {
    ...toReadableNamespace(KV),
    put: async (pairs) => void (await Promise.all(pairs.map(({ key, value }) => KV.put(key, value)))),
    delete: async (keys) => void (await Promise.all(keys.map((key) => KV.delete(key)))),
    list: async (prefix) => (await KV.list({ prefix })).keys.map((key) => key.name),
    batchBytes,
  };
  return createWritableKvStore(namespace, LOCAL_KV);
}

/**
 * Replaces the methods of an object.
 * @param around Called instead of each method; `operate` runs the method
 */
export function interceptCalls<T extends object>(
  target: T,
  around: (operate: () => Promise<unknown>) => Promise<unknown>,
): T {
  const entries = Object.entries(target).map(([name, member]) => [
    name,
    typeof member === "function" ? (...parameters: unknown[]) => around(() => member(...parameters)) : member,
  ]);
  return Object.fromEntries(entries);
}

/** Loads records, newest first. Returns the id of the new snapshot. */
export function loadRecords(
  store: WritableStore,
  records: readonly TrafficRecord[],
  options?: WriteOptions,
): Promise<string> {
  return replaceCollection(store, toContent(records), options);
}

/** Returns the ids of the snapshots that have blocks in a store, including the blocks of their statistics. */
export async function listSnapshots({ database, namespace }: Stores, name: StoreName): Promise<string[]> {
  if (name === "kv") {
    const ids = (await namespace.list("block/")).map((key) => String(key.split("/")[1]));
    return [...new Set(ids)].sort();
  }
  const sql = "SELECT DISTINCT snapshot FROM block ORDER BY snapshot";
  const rows = await database.query(sql, [], "first-primary");
  return rows.map(({ snapshot }) => String(snapshot));
}
