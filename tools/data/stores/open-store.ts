import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createWriteError,
  describeFileError,
  getErrorCode,
  SQLITE_BUSY,
  SQLITE_CORRUPT,
} from "../../messages.ts";
import { PROJECT } from "../../paths.ts";
import {
  type Configuration,
  formatDataCommand,
  readConfiguration,
  requireStoreName,
  type StoreChoice,
  type StoreName,
} from "./configuration.ts";
import { createWritableD1Store, OtherTablesError } from "./d1-writer.ts";
import { createWritableKvStore, LOCAL_KV } from "./kv-writer.ts";
import {
  applyMigrations,
  createLocalDatabase,
  createLocalNamespace,
  getDurableObjectPath,
  openDurableObject,
} from "./local-stores.ts";
import { openRemoteStore } from "./remote-stores.ts";
import { type OpenedStore, UnknownOutcomeError } from "./writer.ts";

/** Returns the folder of the local stores. The default is next to the configuration, as in wrangler. */
function getStateFolder({ persistTo, config }: StoreChoice): string {
  return resolve(persistTo ?? join(config === undefined ? PROJECT : dirname(config), ".wrangler/state"));
}

/** The classes of the runtime for D1 databases and KV namespaces. */
const OBJECT_CLASSES = { d1: "miniflare-D1DatabaseObject", kv: "miniflare-KVNamespaceObject" };

/**
 * Runs an action that writes to a store. A local store is locked against other commands that write. A deployed store cannot be locked.
 * @param options `waitMs`: how long to wait for another process that has the lock
 * @throws Error if that process still has it, or if the file of the lock cannot be written
 */
export async function withLock<T>(
  choice: StoreChoice,
  action: () => Promise<T>,
  { waitMs = 0 } = {},
): Promise<T> {
  if (choice.remote) return action();
  const { name } = await readStoreConfiguration(choice);
  const folder = getStateFolder(choice);
  const path = join(folder, `${name}.lock`);
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    // SQLite would not report why it cannot use the folder.
    accessSync(`${folder}/.`, constants.W_OK);
    lock = new DatabaseSync(path, { timeout: waitMs });
    // The operating system releases the lock when the process ends, so a file that is left behind does no harm.
    lock.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    lock?.close();
    if (getErrorCode(cause) !== SQLITE_BUSY) throw createWriteError(path, cause);
    const message = `Another process is writing to the ${name} store in ${folder}. Run the command again when it has ended.`;
    throw new Error(message, { cause });
  }
  return action().finally(lock.close.bind(lock));
}

const UPDATE_ADVICE = ". If that version is older, `npm start` or `npm run deploy` updates the tables";

/**
 * Opens a store for an action.
 * @param access For `write`, a missing store is created, and its tables are migrated. For `read`, nothing is
 * @throws Error if the configuration cannot be read or specifies no store, or if the store cannot be opened
 */
export async function withStore<T>(
  choice: StoreChoice,
  access: "read" | "write",
  action: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const { configuration, name } = await readStoreConfiguration(choice);
  const opened = choice.remote
    ? openRemoteStore(name, choice)
    : openLocalStore(name, configuration, getStateFolder(choice), access);
  try {
    if (access === "write") await opened.migrate?.();
    return await action(opened);
  } catch (cause) {
    if (cause instanceof UnknownOutcomeError)
      throw new UnknownOutcomeError(`${cause.message}\n${adviseInfo(choice)}`, { cause });
    // These errors do not name the file.
    const isOfFile = [SQLITE_BUSY, SQLITE_CORRUPT].some((code) => code === getErrorCode(cause));
    const isOfTables = cause instanceof OtherTablesError;
    if (!isOfFile && !isOfTables) throw cause;
    const message = `The ${name} store (${opened.location}) cannot be used: ${describeFileError(cause)}`;
    // A command that writes has already tried to update them.
    const advice = isOfTables && access === "read" ? UPDATE_ADVICE : "";
    throw new Error(message + advice, { cause });
  } finally {
    opened.close?.();
  }
}

/** Tells how to see what a command did, if that is not known. */
export function adviseInfo(choice: StoreChoice): string {
  return `To see which records are loaded, run: ${formatDataCommand("info", choice)}`;
}

/** Reads the configuration of a command, and returns it with the kind of store that the command uses. */
export async function readStoreConfiguration(choice: StoreChoice) {
  const configuration = await readConfiguration(choice.config);
  return { configuration, name: choice.store ?? requireStoreName(configuration.vars?.STORE, choice.config) };
}

/** Opens a local store: the files of `wrangler dev`. */
function openLocalStore(
  name: StoreName,
  configuration: Configuration,
  persistTo: string,
  access: "read" | "write",
): OpenedStore {
  const folder = join(persistTo, "v3");
  // The configuration can have other bindings, for a worker that the user has changed.
  const DB = configuration.d1_databases?.find(({ binding }) => binding === "DB");
  const KV = configuration.kv_namespaces?.find(({ binding }) => binding === "KV");
  // Each id in the configuration has its own local store.
  const ids = {
    d1: DB?.preview_database_id ?? DB?.database_id ?? "DB",
    kv: KV?.preview_id ?? KV?.id ?? "KV",
  };
  const id = ids[name];
  const location = join(folder, name, getDurableObjectPath(OBJECT_CLASSES[name], id));
  const sqlite = openDurableObject(location, access);
  const opened = { name, location, close: () => sqlite.close() };
  if (name === "kv") {
    const blobs = createLocalNamespace(sqlite, join(folder, name, id, "blobs"));
    return { ...opened, store: createWritableKvStore(blobs, LOCAL_KV) };
  }
  const store = createWritableD1Store(createLocalDatabase(sqlite));
  return { ...opened, store, migrate: () => applyMigrations(sqlite) };
}
