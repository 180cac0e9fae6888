import { globSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../tools/wrangler/wrangler.ts";
import { load } from "./load.ts";
import type { StoreChoice } from "./targets/targets.ts";

/**
 * Replaces what is loaded with the static seed.
 * @param files other files instead
 * @throws if wrangler fails, with its message
 */
export function loadSeed(
  choice: StoreChoice,
  files = globSync(join(PROJECT, "data/seed/*.csv")),
): Promise<void> {
  return load(files.sort(), choice);
}
