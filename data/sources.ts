import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The package has a folder of this name beside its code, too. */
const SEED = join(import.meta.dirname, "seed");

/** Where the records of the seed come from. */
export const SEED_SOURCE = "generated";

/** The files of the seed, plain or gzipped. */
export function listSeedFiles(): string[] {
  const names = readdirSync(SEED).filter((name) => /\.csv(\.gz)?$/.test(name));
  return names.sort().map((name) => join(SEED, name));
}

/**
 * Says where the records of files come from.
 * @param files paths; `-` is standard input
 * @param stated what a person says instead of the names of the files
 */
export function describeSources(files: string[], stated: string | undefined): string[] {
  if (stated !== undefined) return [stated];
  const names = files.map((file) => {
    if (file === "-") return "standard input";
    return dirname(resolve(file)) === SEED ? SEED_SOURCE : basename(file);
  });
  return [...new Set(names)];
}
