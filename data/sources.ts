import { basename, dirname, join, resolve } from "node:path";
import type { Source } from "../src/records/statistics.ts";
import { SEED_SOURCE } from "./seed.ts";

const SEED = join(import.meta.dirname, "seed");

/**
 * Says where the records of files come from.
 * @param files paths; `-` is standard input
 * @param stated what a person says instead of the names of the files
 */
export function describeSources(files: string[], stated: string | undefined): Source[] {
  if (stated !== undefined) return [{ kind: "stated", name: stated }];
  return files.map((file) => {
    if (file === "-") return { kind: "file", name: "standard input" };
    return dirname(resolve(file)) === SEED ? SEED_SOURCE : { kind: "file", name: basename(file) };
  });
}
