import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { Pair, WritableNamespace } from "./kv-writer.ts";
import { transact } from "./local-database.ts";

/** The runtime keeps each value in a file, whose name is in this table. Such a file never changes. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS _mf_entries (key TEXT PRIMARY KEY, blob_id TEXT NOT NULL, expiration INTEGER, metadata TEXT);
  CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries (expiration)`;

/** The length of a random name, in bytes. */
const NAME_BYTES = 40;

/** A replaced file stays for so long, because another process may have read its name and not opened it yet. */
const READING_MS = 20;

/**
 * Creates a KV namespace on this machine, whose table and folder are created if they do not exist.
 * @param database the keys
 * @param folder the values
 * @returns also `size`, the bytes of all values
 */
export function createLocalNamespace(
  database: DatabaseSync,
  folder: string,
): WritableNamespace & { size(): number } {
  database.exec(SCHEMA);
  mkdirSync(folder, { recursive: true });
  const list = database.prepare("SELECT key, blob_id FROM _mf_entries ORDER BY key");
  const select = database.prepare("SELECT blob_id FROM _mf_entries WHERE key = ?");
  const insert = database.prepare("INSERT OR REPLACE INTO _mf_entries (key, blob_id) VALUES (?, ?)");
  const remove = database.prepare("DELETE FROM _mf_entries WHERE key = ?");
  const createFileName = () => randomBytes(NAME_BYTES).toString("hex");
  const findFile = (key: string) => {
    const row = select.get(key);
    return row && join(folder, String(row.blob_id));
  };
  return {
    get: async (keys) => keys.map((key) => readValue(findFile(key))),
    async put(pairs) {
      const files = pairs.map(({ key, value }) => ({ key, value, name: createFileName() }));
      // The keys come first, so that each file is known even if the process is killed. Nobody reads new keys yet.
      await transact(database, () => {
        for (const { key, name } of files) insert.run(key, name);
      });
      for (const { name, value } of files) writeFileSync(join(folder, name), value);
    },
    async replace({ key, value }: Pair) {
      const name = createFileName();
      writeWhole(join(folder, name), value);
      const before = findFile(key);
      await transact(database, () => insert.run(key, name));
      if (before === undefined) return;
      await setTimeout(READING_MS);
      rmSync(before, { force: true });
    },
    async delete(keys) {
      const files = keys.map(findFile);
      for (const file of files) if (file !== undefined) rmSync(file, { force: true });
      await transact(database, () => {
        for (const key of keys) remove.run(key);
      });
    },
    list: async () => list.all().map(({ key }) => String(key)),
    size: () =>
      list.all().reduce((sum, { blob_id }) => {
        return sum + (statSync(join(folder, String(blob_id)), { throwIfNoEntry: false })?.size ?? 0);
      }, 0),
    batchBytes: 250_000,
  };
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

/** Leaves nothing if it fails. */
function writeWhole(file: string, value: string): void {
  try {
    writeFileSync(file, value);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
