import { join, resolve } from "node:path";
import type { Unstable_Config } from "wrangler";
import { PROJECT } from "./wrangler.ts";

/**
 * What a configuration says of production, as wrangler understands it.
 * @param config its path, if it is not wrangler.toml
 * @throws if there is none, or it cannot be understood
 */
export async function readConfiguration(config = join(PROJECT, "wrangler.toml")): Promise<Unstable_Config> {
  // Wrangler takes half a second to import, which only those should wait who need it.
  const { unstable_readConfig } = await import("wrangler");
  return unstable_readConfig({ config: resolve(config) });
}
