import { mkdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { createD1Store } from "../../src/store/d1.ts";
import { createKvStore } from "../../src/store/kv.ts";
import { createWriteError } from "../file-errors.ts";
import type { Configuration, StoreName } from "./configuration.ts";
import { details } from "./details.ts";
import { explainWrite, guardSpace } from "./disk-space.ts";
import { DEFAULT_FOLDER } from "./lock.ts";
import { applyMigrations } from "./migrations.ts";
import { openD1, openKv, STORES_SCRIPT } from "./runtime.ts";
import type { OpenStore } from "./store-choice.ts";
import { requireTemporaryFolder } from "./temporary-files.ts";

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
    script: STORES_SCRIPT,
    d1Databases: { DB: databaseId },
    kvNamespaces: { KV: namespaceId },
    cf: false,
  });
  requireFolder(folder);
  const runtime = watchWorkerd(
    () =>
      new Miniflare({
        ...options,
        handleStructuredLogs: ({ message }) => details.print(message),
        resourcePersistencePath: folder,
      }),
  );
  const close = () => runtime.dispose();
  try {
    if (name === "kv") {
      const size = () => measureFiles(join(folder, "kv", namespaceId, "blobs"));
      return { name, store: guardSpace(createKvStore(openKv(runtime), true), folder), size, folder, close };
    }
    const database = openD1(runtime);
    await applyMigrations(database);
    const store = guardSpace(createD1Store(database, true), folder);
    return { name, store, size: database.size, folder, close };
  } catch (error) {
    await close();
    throw explainWrite(folder, error);
  }
}

/** @throws Error if a part of the path is a file, or if it cannot be created */
function requireFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw createWriteError(folder, cause);
  }
}

/** Starts a runtime that ends when this process does, even if it is killed, and whose temporary files are then removed. */
function watchWorkerd(start: () => Miniflare): Miniflare {
  const { env, platform } = process;
  const folder = requireTemporaryFolder();
  // Without limits, workerd lets garbage grow to twice the size.
  env.MINIFLARE_WORKERD_V8_FLAGS = "--max-semi-space-size=1 --max-old-space-size=64";
  if (platform !== "win32") {
    env.WATCHED_WORKERD = createRequire(import.meta.url)("workerd").default;
    env.WATCHED_FOLDER = folder;
    env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, "workerd.sh");
  }
  const { TMPDIR } = env;
  env.TMPDIR = folder;
  try {
    return start();
  } finally {
    if (TMPDIR === undefined) delete env.TMPDIR;
    else env.TMPDIR = TMPDIR;
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
