import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoreName } from "../../data/stores/configuration.ts";
import { createWritableD1, type WritableDatabase } from "../../data/stores/d1-writer.ts";
import { createWritableKv, type WritableNamespace } from "../../data/stores/kv-writer.ts";
import { createLocalD1 } from "../../data/stores/local-database.ts";
import { createLocalNamespace } from "../../data/stores/local-namespace.ts";
import { applyMigrations } from "../../data/stores/migrations.ts";
import { type LoadOptions, load, type WritableStore } from "../../data/stores/writer.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import { collectRecords } from "../records/sample.ts";
import { createFolder } from "../temporary-folder.ts";

/** A database and a namespace to which tests write, both empty at first. */
export interface Stores {
  database: WritableDatabase;
  namespace: WritableNamespace;
  /** Opens one of them as a deployed store, in which nothing lags. */
  open(name: StoreName): WritableStore;
  /** Removes everything, as if nothing was ever loaded. */
  clear(): Promise<void>;
}

/** Opens stores as commands do on this machine, in SQLite and files, which is much faster. */
export async function openLocalStores(): Promise<Stores> {
  const sqlite = new DatabaseSync(":memory:");
  const namespace = createLocalNamespace(new DatabaseSync(":memory:"), join(createFolder(), "blobs"));
  await applyMigrations(sqlite);
  const database = createLocalD1(sqlite);
  return {
    database,
    namespace,
    open: (name) => (name === "d1" ? createWritableD1(database) : createWritableKv(namespace, false, 0)),
    async clear() {
      await database.write(["DELETE FROM block", "UPDATE state SET load = '', count = 0, sequence = 0"]);
      await namespace.delete(await namespace.list());
    },
  };
}

/**
 * Loads records, newest first.
 * @returns the name of the load
 */
export function loadRecords(
  store: WritableStore,
  records: readonly TrafficRecord[],
  options?: LoadOptions,
): Promise<string> {
  return load(store, collectRecords(records), options);
}

/** Damages what a store holds as its state. */
export async function damageState({ database, namespace }: Stores, name: "d1" | "kv"): Promise<void> {
  if (name === "d1") await database.write(["DELETE FROM state"]);
  else await namespace.put([{ key: STATE_KEY, value: "not a state" }]);
}

/** The names of the loads of which a store holds blocks, or the pieces of the statistics. */
export async function listLoads({ database, namespace }: Stores, name: "d1" | "kv"): Promise<string[]> {
  if (name === "kv") {
    const names = (await namespace.list()).map((key) => /^block\/([^/]+)/.exec(key)?.[1]);
    return [...new Set(names.filter((load) => load !== undefined))].sort();
  }
  const rows = await database.query("SELECT DISTINCT load FROM block ORDER BY load", [], true);
  return rows.map(({ load }) => String(load));
}
