import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createWriteError, DiskFullError, RESERVED_BYTES, readFreeBytes } from "../messages.ts";
import type { Configuration, StoreName } from "./configuration.ts";
import { createWritableD1 } from "./d1-writer.ts";
import { lockFile } from "./file-lock.ts";
import { createWritableKv } from "./kv-writer.ts";
import { createLocalD1, measureDatabase, openObject } from "./local-database.ts";
import { createLocalNamespace } from "./local-namespace.ts";
import { applyMigrations } from "./migrations.ts";
import type { OpenStore } from "./store-choice.ts";
import { PROJECT } from "./wrangler.ts";
import type { WritableStore } from "./writer.ts";

/** Where wrangler keeps the local stores by default. */
const DEFAULT_FOLDER = join(PROJECT, ".wrangler/state");

/**
 * Locks a store on this machine for writing. Reading, as `npm start` does, needs no lock.
 * @returns a function that releases the lock
 * @throws Error if another process writes to the store
 */
export function lockLocalStore(name: StoreName, persistTo = DEFAULT_FOLDER): () => void {
  const folder = resolve(persistTo);
  requireFolder(folder);
  return lockFile(join(folder, `${name}.lock`), `the ${name} store in ${folder}`);
}

/** The classes of the runtime whose objects are D1 databases and KV namespaces. */
const CLASSES = { d1: "miniflare-D1DatabaseObject", kv: "miniflare-KVNamespaceObject" };

/**
 * Opens a store on this machine: the files that `wrangler dev` serves from.
 * @param persistTo the folder, as in `wrangler dev --persist-to`; by default .wrangler/state
 * @throws Error if the files cannot be opened
 */
export async function openLocalStore(
  name: StoreName,
  configuration: Configuration,
  persistTo = DEFAULT_FOLDER,
): Promise<OpenStore> {
  const folder = join(resolve(persistTo), "v3");
  requireFolder(folder);
  const id = findId(name, configuration);
  const database = openObject(join(folder, name), CLASSES[name], id);
  try {
    const opened = await (name === "d1"
      ? openD1(database)
      : openKv(database, join(folder, name, id, "blobs")));
    const store = guardSpace(opened.store, folder, database);
    return { name, store, size: opened.size, folder, close: async () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

type Opened = Pick<OpenStore, "store" | "size">;

async function openD1(database: DatabaseSync): Promise<Opened> {
  const d1 = createLocalD1(database);
  await applyMigrations(d1);
  return { store: createWritableD1(d1), size: async () => measureDatabase(database) };
}

async function openKv(database: DatabaseSync, folder: string): Promise<Opened> {
  const namespace = createLocalNamespace(database, folder);
  return { store: createWritableKv(namespace, true), size: async () => namespace.size() };
}

/** The name of a database or a namespace in the runtime. */
function findId(
  name: StoreName,
  { d1_databases: [database] = [], kv_namespaces: [namespace] = [] }: Configuration,
): string {
  if (name === "d1") return database?.preview_database_id ?? database?.database_id ?? "DB";
  return namespace?.preview_id ?? namespace?.id ?? "KV";
}

/** @throws Error if a part of the path is a file, or if it cannot be created */
function requireFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw createWriteError(folder, cause);
  }
}

/** Stops writes before the disk is full, and gives back the space of what a failed write removed. */
function guardSpace(store: WritableStore, folder: string, database: DatabaseSync): WritableStore {
  const isFull = () => readFreeBytes(folder) < RESERVED_BYTES;
  return {
    ...store,
    async write(...args) {
      if (isFull()) throw new DiskFullError(folder);
      await store.write(...args);
    },
    async discard(...args) {
      await store.discard(...args);
      // A database keeps the space of what was removed from it until it is written anew.
      if (isFull()) database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    },
  };
}
