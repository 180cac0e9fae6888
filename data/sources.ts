import { basename, dirname, join, resolve } from "node:path";
import { SEED_SOURCE } from "./seed.ts";

const SEED = join(import.meta.dirname, "seed");

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
