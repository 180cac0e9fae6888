import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { PROJECT } from "./paths.ts";

export const DIST = join(PROJECT, "dist");

/** Replaces a file atomically, and only if its contents change, because other builds and servers may be using the file. */
export function replaceFile(file: string, contents: string | Uint8Array): void {
  const path = join(DIST, file);
  if (fs.existsSync(path) && fs.readFileSync(path).equals(Buffer.from(contents))) return;
  fs.mkdirSync(dirname(path), { recursive: true });
  const temporary = join(DIST, `.${basename(path)}.${process.pid}`);
  fs.writeFileSync(temporary, contents);
  fs.renameSync(temporary, path);
}

/**
 * Replaces the files of a folder, and removes all others, because a deployment or the package would contain the files of earlier builds.
 * @param files The contents, by the path in the folder
 * @param isKept Says which other files stay
 */
export function replaceFolder(
  folder: string,
  files: Map<string, string | Uint8Array>,
  isKept: (file: string) => boolean = () => false,
): void {
  for (const [file, contents] of files) replaceFile(join(folder, file), contents);
  const others = listFiles(join(DIST, folder)).filter((file) => !files.has(file) && !isKept(file));
  for (const file of others) fs.rmSync(join(DIST, folder, file));
}

/** Lists the files in a folder and in its folders, as relative paths. */
export function listFiles(folder: string): string[] {
  const paths = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => fs.statSync(join(folder, path)).isFile());
}
