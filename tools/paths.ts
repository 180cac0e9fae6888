import { mkdtempSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** The configuration in this folder, which every command reads by default. */
export const CONFIGURATION_FILE = "wrangler.toml";

let folder: string | undefined;

/** Returns a path in a temporary folder of this process. The folder is deleted when the process ends. */
export function getTemporaryPath(name: string): string {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), "traffic-count-records-"));
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  return join(folder, name);
}

/**
 * Finds the open file of this process that a path means, also through links: 3 for /dev/fd/3. If that file were replaced or opened again,
 * what is in it would be lost.
 */
export function findDescriptor(path: string): number | undefined {
  try {
    const folder = realpathSync(dirname(path));
    const isOfDescriptors = [`/proc/${process.pid}/fd`, "/dev/fd"].includes(folder);
    const name = basename(path);
    if (isOfDescriptors && /^\d+$/.test(name)) return Number(name);
    return findDescriptor(resolve(folder, readlinkSync(path)));
  } catch {
    return undefined;
  }
}
