import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder that is removed at the end of the test run. */
export function createFolder(): string {
  return mkdtempSync(join(tmpdir(), "test-"));
}
