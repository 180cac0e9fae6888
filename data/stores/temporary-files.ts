import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { details } from "./details.ts";
import { type FileLock, lockFile } from "./file-lock.ts";

const PREFIX = "traffic-count-records-";

/** A folder has this prefix until it is locked. */
const NEW_PREFIX = "traffic-count-records.new-";

/** A folder that is not locked by then belongs to a process that was killed. */
const ABANDONED_MS = 60_000;

let folder: string | undefined;

/** Kept, because the lock ends with it. */
let folderLock: FileLock | undefined;

/**
 * The folder of this process for temporary files, which is removed when the process ends. SIGKILL leaves it behind; the
 * next process that needs such a folder removes it.
 */
export function openTemporaryFolder(): string {
  if (folder !== undefined) return folder;
  removeLeftovers();
  const created = mkdtempSync(join(tmpdir(), NEW_PREFIX));
  folderLock = lockFile(lockOf(created));
  folder = created.replace(NEW_PREFIX, PREFIX);
  renameSync(created, folder);
  process.once("exit", () => {
    rmSync(folder ?? created, { recursive: true, force: true });
    if (folderLock?.isHeld) folderLock.release();
  });
  return folder;
}

/** The path of a file for this process alone. */
export function openTemporaryFile(name: string): string {
  return join(openTemporaryFolder(), name);
}

/** Runs an action whose temporary files go to the folder of this process. */
export function useTemporaryFolder<T>(action: () => T): T {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = openTemporaryFolder();
  try {
    return action();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

function lockOf(path: string): string {
  return join(path, "lock");
}

/** Removes the folders of processes that no longer run. Failing to do so must not keep a command from its work. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    try {
      if (!isLeftover(name, path)) continue;
      rmSync(path, { recursive: true, force: true });
      details.print(`Removed ${path}, which a command that was killed left behind.`);
    } catch {}
  }
}

function isLeftover(name: string, path: string): boolean {
  if (!name.startsWith(PREFIX) && !name.startsWith(NEW_PREFIX)) return false;
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
  if (name.startsWith(NEW_PREFIX) || !existsSync(lockOf(path)))
    return Date.now() - found.mtimeMs > ABANDONED_MS;
  const lock = lockFile(lockOf(path));
  if (lock.isHeld) lock.release();
  return lock.isHeld;
}
