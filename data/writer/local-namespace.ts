import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { WritableNamespace } from "./kv-writer.ts";
import { transact } from "./local-stores.ts";

/** The runtime keeps each value in a file, whose name is in this table. Such a file never changes. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS _mf_entries (key TEXT PRIMARY KEY, blob_id TEXT NOT NULL, expiration INTEGER, metadata TEXT);
  CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries (expiration)`;

/** The length of a random name, in bytes. */
const NAME_BYTES = 40;

/** How long a replaced file stays, because another process may have read its name and not opened it yet. */
const READING_MS = 20;

/**
 * Creates a KV namespace on this machine, whose table is created if it does not exist, and whose folder when it is needed.
 * @param database the keys
 * @param folder the values
 */
export function createLocalNamespace(
  database: DatabaseSync,
  folder: string,
  readingMs = READING_MS,
): WritableNamespace {
  database.exec(SCHEMA);
  const list = database.prepare("SELECT key FROM _mf_entries WHERE substr(key, 1, ?2) = ?1 ORDER BY key");
  const select = database.prepare("SELECT blob_id FROM _mf_entries WHERE key = ?");
  const insert = database.prepare("INSERT OR REPLACE INTO _mf_entries (key, blob_id) VALUES (?, ?)");
  const remove = database.prepare("DELETE FROM _mf_entries WHERE key = ?");
  const findFile = (key: string) => select.all(key).map(({ blob_id }) => join(folder, String(blob_id)));
  return {
    get: async (keys) => keys.map((key) => readValue(findFile(key)[0])),
    async put(pairs) {
      const files = pairs.map((pair) => ({ ...pair, name: randomBytes(NAME_BYTES).toString("hex") }));
      const replaced = pairs.flatMap(({ key }) => findFile(key));
      mkdirSync(folder, { recursive: true });
      try {
        for (const { name, value } of files) writeFileSync(join(folder, name), value);
        await transact(database, () => {
          for (const { key, name } of files) insert.run(key, name);
        });
      } catch (error) {
        removeFiles(files.map(({ name }) => join(folder, name)));
        throw error;
      }
      if (replaced.length > 0) await new Promise((resolve) => setTimeout(resolve, readingMs));
      removeFiles(replaced);
    },
    async delete(keys) {
      removeFiles(keys.flatMap(findFile));
      await transact(database, () => {
        for (const key of keys) remove.run(key);
      });
    },
    list: async (prefix = "") => list.all(prefix, prefix.length).map(({ key }) => String(key)),
    batchBytes: 250_000,
  };
}

function removeFiles(files: string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

/** Null if there is no such key, or if its file was removed meanwhile. */
function readValue(file: string | undefined): string | null {
  if (file === undefined) return null;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (Object(error).code === "ENOENT") return null;
    throw error;
  }
}
