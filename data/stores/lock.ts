import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createWriteError } from "../file-errors.ts";
import type { StoreName } from "./configuration.ts";
import { type FileLock, lockFile } from "./file-lock.ts";
import { PROJECT } from "./wrangler.ts";

/** Where wrangler keeps the local stores by default. */
export const DEFAULT_FOLDER = join(PROJECT, ".wrangler/state");

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
