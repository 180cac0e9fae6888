import { globSync } from "node:fs";
import { join } from "node:path";
import type { StoreChoice } from "../tools/stores/store-choice.ts";
import { PROJECT } from "../tools/wrangler.ts";
import { load } from "./load.ts";

/**
 * Replaces what is loaded with the static seed.
 * @param files by default those of the seed
 * @throws Error if the store fails
 */
export function loadSeed(
  choice: StoreChoice,
  files = globSync(join(PROJECT, "data/seed/*.csv")),
): Promise<void> {
  return load(files.sort(), choice);
}
