import { mkdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Env } from "../../src/env.ts";
import { createD1Store } from "../../src/store/d1.ts";
import { bindNamespace, createKvStore } from "../../src/store/kv.ts";
import { createWriteError, DiskFullError } from "../file-errors.ts";
import type { Configuration, StoreName } from "./configuration.ts";
import { D1_SCRIPT, openD1 } from "./d1-runtime.ts";
import { createSpaceGuard } from "./disk-space.ts";
import { type FileLock, lockFile } from "./file-lock.ts";
import { applyMigrations } from "./migrations.ts";
import type { OpenStore } from "./store-choice.ts";
import { useTemporaryFolder } from "./temporary-files.ts";
import { PROJECT } from "./wrangler.ts";

/** Where wrangler keeps the local stores by default. */
const DEFAULT_FOLDER = join(PROJECT, ".wrangler/state");

/**
 * Locks a store on this machine for writing. Reading, as `npm start` does, needs no lock.
 * @returns a function that releases the lock
 * @throws Error if another process writes to the store
 */
export function lockLocalStore(name: StoreName, persistTo = DEFAULT_FOLDER): () => void {
  const folder = resolve(persistTo);
  const lock = openLock(folder, `${name}.lock`);
  if (lock.isHeld) return lock.release;
  const other = lock.heldBy === undefined ? "Another process" : `Process ${lock.heldBy}`;
  throw new Error(
    `${other} is writing to the ${name} store in ${folder}. Run the command again when it has ended.`,
  );
}

function openLock(folder: string, name: string): FileLock {
  try {
    mkdirSync(folder, { recursive: true });
    return lockFile(join(folder, name));
  } catch (cause) {
    throw createWriteError(folder, cause);
  }
}

/**
 * Opens a store on this machine: the files that `wrangler dev` serves from, in this process.
 * @param persistTo the folder, as in `wrangler dev --persist-to`; by default .wrangler/state
 */
export async function openLocalStore(
  name: StoreName,
  { d1_databases: [database] = [], kv_namespaces: [namespace] = [] }: Configuration,
  persistTo = DEFAULT_FOLDER,
): Promise<OpenStore> {
  const folder = join(resolve(persistTo), "v3");
  // The names under which wrangler finds them again.
  const databaseId = database?.preview_database_id ?? database?.database_id ?? "DB";
  const namespaceId = namespace?.preview_id ?? namespace?.id ?? "KV";
  const options = convertV4MiniflareOptions({
    modules: true,
    script: D1_SCRIPT,
    d1Databases: { DB: databaseId },
    kvNamespaces: { KV: namespaceId },
    cf: false,
  });
  const spaceGuard = createSpaceGuard(folder);
  const runtime = useTemporaryFolder(
    () => new Miniflare({ ...options, ...spaceGuard.options, resourcePersistencePath: folder }),
  );
  const close = () => runtime.dispose();
  try {
    if (name === "kv") {
      const { KV } = await runtime.getBindings<Env>();
      const size = () => measureFiles(join(folder, "kv", namespaceId, "blobs"));
      return {
        name,
        store: spaceGuard.explainIn(createKvStore(bindNamespace(KV), true)),
        size,
        folder,
        close,
      };
    }
    const database = openD1(runtime);
    await applyMigrations(database);
    return {
      name,
      store: spaceGuard.explainIn(createD1Store(database, true)),
      size: database.size,
      folder,
      close,
    };
  } catch (error) {
    await close();
    throw spaceGuard.isDiskFull() ? new DiskFullError(folder, undefined, { cause: error }) : error;
  }
}

async function measureFiles(folder: string): Promise<number | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return undefined;
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
