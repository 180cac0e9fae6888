import { readConfiguration } from "../../tools/wrangler/configuration.ts";
import type { Deployment } from "../../tools/wrangler/wrangler.ts";
import { d1Target } from "./d1.ts";
import { kvTarget } from "./kv.ts";
import type { Target } from "./target.ts";

/** A target for each value of the setting `STORE`. */
export const targets = { d1: d1Target, kv: kvTarget } as const satisfies Record<string, Target>;

export type StoreName = keyof typeof targets;

export const STORE_NAMES = Object.keys(targets) as StoreName[];

/** Which store a command means. */
export interface StoreChoice extends Deployment {
  /** By default what its configuration says the worker serves from. */
  store?: StoreName | undefined;
}

/**
 * The store that a command means: the one it names or, by default, that which the worker serves from.
 * @throws if there is no such configuration, or it names no store
 */
export async function chooseStore({ store, config }: StoreChoice): Promise<StoreName> {
  return store ?? configuredStore(config);
}

/**
 * The store that the worker serves from.
 * @param config the configuration that says so, if not wrangler.toml
 */
export async function configuredStore(config?: string): Promise<StoreName> {
  return requireStore((await readVariables(config)).STORE, config);
}

/**
 * The variables of the worker.
 * @param config the configuration that sets them, if not wrangler.toml
 */
export async function readVariables(config?: string): Promise<Record<string, unknown>> {
  return (await readConfiguration(config)).vars;
}

/**
 * @param config the configuration that says so, for the message
 * @throws if it is not the name of a store
 */
export function requireStore(name: unknown, config?: string): StoreName {
  const known = STORE_NAMES.find((store) => store === name);
  const place = config === undefined ? "" : ` in ${config}`;
  if (!known) throw new Error(`STORE is ${JSON.stringify(name)}${place}; it must be "d1" or "kv"`);
  return known;
}
