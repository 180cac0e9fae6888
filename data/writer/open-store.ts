import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createWriteError } from "../messages.ts";
import {
  type Configuration,
  readConfiguration,
  requireStoreName,
  type StoreChoice,
  type StoreName,
} from "./configuration.ts";
import { createWritableD1Store } from "./d1-writer.ts";
import { createWritableKvStore } from "./kv-writer.ts";
import {
  applyMigrations,
  createLocalDatabase,
  createLocalNamespace,
  getObjectDatabasePath,
  openObjectDatabase,
} from "./local-stores.ts";
import { openRemoteStore } from "./remote-stores.ts";
import { PROJECT } from "./wrangler.ts";
import type { OpenStore } from "./writer.ts";

/** Where wrangler keeps the local stores: by default beside the configuration. */
function getStateFolder({ persistTo, config }: StoreChoice): string {
  return resolve(persistTo ?? join(config === undefined ? PROJECT : dirname(config), ".wrangler/state"));
}

/** The classes of the runtime whose objects are D1 databases and KV namespaces. */
const OBJECT_CLASSES = { d1: "miniflare-D1DatabaseObject", kv: "miniflare-KVNamespaceObject" };

/**
 * Runs an action that writes to the store that a command means, while no other command of this machine does. Reading, as
 * `npm start` does, needs no lock, and a deployed store cannot be locked.
 * @param waitMs how long to wait for another process that writes
 * @throws Error if it still writes then
 */
export async function withLock<T>(choice: StoreChoice, action: () => Promise<T>, waitMs = 0): Promise<T> {
  if (choice.remote) return action();
  const { name } = await readStoreChoice(choice);
  const folder = getStateFolder(choice);
  ensureFolder(folder);
  const release = lockFile(join(folder, `${name}.lock`), `the ${name} store in ${folder}`, waitMs);
  return action().finally(release);
}

type Action<T> = (opened: OpenStore) => Promise<T>;

/**
 * Opens the store that a command means for as long as an action takes that only reads: nothing is created or migrated.
 * @throws Error if the configuration does not exist or names no store, or if the store cannot be opened
 */
export function withStore<T>(choice: StoreChoice, action: Action<T>): Promise<T> {
  return useStore(choice, false, action);
}

/** As `withStore`, for an action that writes. Before it, the store is created if it is missing, and its tables are migrated. */
export function withMigratedStore<T>(choice: StoreChoice, action: Action<T>): Promise<T> {
  return useStore(choice, true, action);
}

async function useStore<T>(choice: StoreChoice, writable: boolean, action: Action<T>): Promise<T> {
  const { configuration, name } = await readStoreChoice(choice);
  const opened = choice.remote
    ? openRemoteStore(name, choice)
    : openLocalStore(name, configuration, getStateFolder(choice), writable);
  try {
    if (writable) await opened.migrate?.();
    return await action(opened);
  } catch (error) {
    throw toDamageError(error, opened.location);
  } finally {
    opened.close?.();
  }
}

/** Reads the configuration of a command, and the kind of store that the command means. */
export async function readStoreChoice(
  choice: StoreChoice,
): Promise<{ configuration: Configuration; name: StoreName }> {
  const configuration = await readConfiguration(choice.config);
  return { configuration, name: choice.store ?? requireStoreName(configuration.vars?.STORE, choice.config) };
}

/** Opens a store on this machine: the files that `wrangler dev` serves from. */
function openLocalStore(
  name: StoreName,
  configuration: Configuration,
  persistTo: string,
  writable: boolean,
): OpenStore {
  const folder = join(persistTo, "v3");
  if (writable) ensureFolder(folder);
  const id = getObjectName(name, configuration);
  const location = getObjectDatabasePath(join(folder, name), OBJECT_CLASSES[name], id);
  const database = openObjectDatabase(location, writable);
  try {
    const openKv = () => createLocalNamespace(database, join(folder, name, id, "blobs"));
    return {
      name,
      location,
      store:
        name === "d1"
          ? createWritableD1Store(createLocalDatabase(database))
          : createWritableKvStore(openKv(), true),
      ...(name === "d1" && { migrate: () => applyMigrations(database) }),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Names a damaged file, because SQLite does not. @returns the same error for other reasons */
function toDamageError(error: unknown, path: string): unknown {
  const { message, errcode } = Object(error);
  if (errcode !== SQLITE_CORRUPT) return error;
  return new Error(`${path} is damaged: ${message}. Delete the file, and load the records again.`, {
    cause: error,
  });
}

/** The name of a database or a namespace in the runtime: each id in the configuration has a local store of its own. */
function getObjectName(
  name: StoreName,
  { d1_databases: [database] = [], kv_namespaces: [namespace] = [] }: Configuration,
): string {
  if (name === "d1") return database?.preview_database_id ?? database?.database_id ?? "DB";
  return namespace?.preview_id ?? namespace?.id ?? "KV";
}

/** @throws Error if a part of the path is a file, or if it cannot be created */
function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw createWriteError(folder, cause);
  }
}

/** The SQLite error code of a damaged file. */
const SQLITE_CORRUPT = 11;

/** The error code of SQLite if another connection holds the lock. */
const SQLITE_BUSY = 5;

/**
 * Locks a file for this process. The lock is that of a SQLite database: the operating system releases it however the process ends, so a
 * file that was left behind does no harm.
 * @param path of the lock's own file, which is created
 * @param subject what the lock protects, for the message
 * @returns a function that releases the lock
 * @throws Error if another process holds the lock, or if the file cannot be written
 */
export function lockFile(path: string, subject: string, waitMs = 0): () => void {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would not say what is wrong with the folder.
    accessSync(`${dirname(path)}/.`, constants.W_OK);
    database = new DatabaseSync(path, { timeout: waitMs });
    database.exec("BEGIN IMMEDIATE");
    return database.close.bind(database);
  } catch (cause) {
    database?.close();
    if (Object(cause).errcode !== SQLITE_BUSY) throw createWriteError(path, cause);
    const message = `Another process is writing to ${subject}. Run the command again when it has ended.`;
    throw new Error(message, { cause });
  }
}
