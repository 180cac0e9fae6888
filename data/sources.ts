import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { requireLoadable } from "./input-error.ts";
import { type Staged, stage } from "./staging.ts";

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
 * Reads the files of the seed as those of any load.
 * @param conclusion the last line of what a refusal says
 * @throws InputError if any line of the files cannot be loaded
 */
export async function stageSeed(conclusion: string): Promise<Staged> {
  return requireLoadable(await stage(listSeedFiles(), { strict: false }), conclusion);
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
