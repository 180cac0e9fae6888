import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;

/** The path of a file of this process, which is removed when the process ends, except by SIGKILL. */
export function openTemporaryFile(name: string): string {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), "traffic-count-records-"));
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  return join(folder, name);
}
