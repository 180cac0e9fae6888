import { existsSync } from "node:fs";
import { join } from "node:path";
import { listInputFiles } from "./formats/input-file.ts";

/** The folder of the sample data: in the package, and in this repository. */
const SEED_FOLDERS = ["seed", "../../data/seed"].map((path) => join(import.meta.dirname, path));

/** Lists the files of the sample data. */
export function listSeedFiles(): string[] {
  const folder = SEED_FOLDERS.find(existsSync);
  if (folder === undefined)
    throw new Error(`${SEED_FOLDERS[0]} is missing. A bundler must keep this package external.`);
  return listInputFiles(folder).files;
}
