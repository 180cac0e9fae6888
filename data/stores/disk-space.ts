import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "../../src/store/store.ts";
import { DiskFullError, RESERVED_BYTES, readFreeBytes } from "../file-errors.ts";

/** The error of a write, or what it means: workerd does not say that an internal error is that of a full disk. */
export function explainWrite(folder: string, cause: unknown): unknown {
  return isFull(folder) ? new DiskFullError(folder, undefined, { cause }) : cause;
}

function isFull(folder: string): boolean {
  return readFreeBytes(folder) < RESERVED_BYTES;
}

/**
 * Stops writes before the disk of a local store is full, and gives back the space of what a failed write removed.
 * @param folder of the store
 */
export function guardSpace(store: Store, folder: string): Store {
  const explain = async (cause: unknown): Promise<never> => {
    throw explainWrite(folder, cause);
  };
  return {
    ...store,
    async writeBlocks(...args) {
      if (isFull(folder)) throw new DiskFullError(folder);
      return store.writeBlocks(...args).catch(explain);
    },
    switchTo: (...args) => store.switchTo(...args).catch(explain),
    async discard(...args) {
      await store.discard(...args);
      if (isFull(folder)) shrinkDatabases(folder);
    },
  };
}

/** A database keeps the space of what was deleted from it until it is written anew. */
function shrinkDatabases(folder: string): void {
  for (const file of globSync(`${folder}/{d1,kv}/*/*.sqlite`)) {
    const database = new DatabaseSync(file);
    try {
      database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  }
}
