import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** The configuration in this folder, which every command reads by default. */
export const CONFIGURATION_FILE = "wrangler.toml";

let folder: string | undefined;

/** Returns a path in a temporary folder of this process. The folder is deleted when the process ends. */
export function getTemporaryPath(name: string): string {
  folder ??= createTemporaryFolder();
  return join(folder, name);
}

function createTemporaryFolder(): string {
  const created = mkdtempSync(join(tmpdir(), "traffic-count-records-"));
  process.once("exit", () => rmSync(created, { recursive: true, force: true }));
  return created;
}
