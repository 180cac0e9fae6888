import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFileError } from "../file-errors.ts";

let folder: string | undefined;

/**
 * The folder of this process for temporary files, which is removed when the process ends.
 * @throws Error if TMPDIR cannot be used
 */
export function requireTemporaryFolder(): string {
  if (folder !== undefined) return folder;
  try {
    const created = mkdtempSync(join(tmpdir(), "traffic-count-records-"));
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    folder = created;
    return created;
  } catch (cause) {
    throw new Error(
      `The folder for temporary files, ${tmpdir()}, cannot be used: ${describeFileError(cause)}`,
      {
        cause,
      },
    );
  }
}

/** The path of a file for this process alone. */
export function openTemporaryFile(name: string): string {
  return join(requireTemporaryFolder(), name);
}
