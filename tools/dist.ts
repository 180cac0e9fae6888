import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PROJECT } from "./wrangler.ts";

/** The output folder of builds. */
export const DIST = join(PROJECT, "dist");

/**
 * Replaces a file atomically, and only if its contents change, because other builds and servers may be using the file.
 * @param file The path of the file in dist/
 */
export function replaceFile(file: string, contents: string | Uint8Array): void {
  const path = join(DIST, file);
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(DIST, `.${basename(path)}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}
