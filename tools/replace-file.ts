import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PROJECT } from "../data/writer/wrangler.ts";

/** The folder that builds write to. */
export const DIST = join(PROJECT, "dist");

/**
 * Replaces a file of dist/ in one step, if it changes, because other builds and running servers may use it at the same time.
 * @param file its path in dist/
 */
export function replaceFile(file: string, contents: string | Uint8Array): void {
  const path = join(DIST, file);
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(DIST, `.${basename(path)}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}
