import type { Unstable_Config } from "wrangler";
import { d1Target } from "./d1.ts";
import { kvTarget } from "./kv.ts";
import type { Target } from "./target.ts";
import { type Deployment, PROJECT } from "./wrangler.ts";

/** A target for each value of the setting `STORE`. */
export const targets = { d1: d1Target, kv: kvTarget } as const satisfies Record<string, Target>;

export type StoreName = keyof typeof targets;

export const STORE_NAMES = Object.keys(targets) as StoreName[];

/** Which store a command means. */
export interface StoreChoice extends Deployment {
  /** By default what wrangler.toml says the worker serves from. */
  store?: StoreName | undefined;
}

/** The store that wrangler.toml says the worker serves from. */
export async function configuredStore(): Promise<StoreName> {
  return requireStore((await readVariables()).STORE);
}

/** The variables of wrangler.toml. */
export async function readVariables(): Promise<Record<string, unknown>> {
  return (await readConfiguration()).vars;
}

/** What wrangler.toml says of production. */
export async function readConfiguration(): Promise<Unstable_Config> {
  // Wrangler takes half a second to import, which only those should wait who need it.
  const { unstable_readConfig } = await import("wrangler");
  return unstable_readConfig({ config: `${PROJECT}/wrangler.toml` });
}

/** @throws if it is not the name of a store */
export function requireStore(name: unknown): StoreName {
  const known = STORE_NAMES.find((store) => store === name);
  if (!known) throw new Error(`STORE is ${JSON.stringify(name)}; it must be "d1" or "kv"`);
  return known;
}
