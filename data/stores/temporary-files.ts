import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFileError } from "../messages.ts";

let folder: string | undefined;

/**
 * The path of a file for this process alone, which is removed when the process ends.
 * @throws Error if TMPDIR cannot be used
 */
export function openTemporaryFile(name: string): string {
  folder ??= createFolder();
  return join(folder, name);
}

function createFolder(): string {
  try {
    const created = mkdtempSync(join(tmpdir(), "traffic-count-records-"));
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    return created;
  } catch (cause) {
    const reason = describeFileError(cause);
    throw new Error(`The folder for temporary files, ${tmpdir()}, cannot be used: ${reason}`, { cause });
  }
}
