import type { DatabaseSync } from "node:sqlite";
import type { Store } from "../../src/store/store.ts";
import { DiskFullError, RESERVED_BYTES, readFreeBytes } from "../file-errors.ts";

/**
 * Stops writes before the disk of a local store is full, and gives back the space of what a failed write removed.
 * @param folder of the store
 */
export function guardSpace(store: Store, folder: string, database: DatabaseSync): Store {
  const isFull = () => readFreeBytes(folder) < RESERVED_BYTES;
  return {
    ...store,
    async writeBlocks(...args) {
      if (isFull()) throw new DiskFullError(folder);
      await store.writeBlocks(...args);
    },
    async discard(...args) {
      await store.discard(...args);
      // A database keeps the space of what was removed from it until it is written anew.
      if (isFull()) database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    },
  };
}
