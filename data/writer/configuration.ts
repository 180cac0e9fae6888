import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parse } from "smol-toml";
import { describeFileError } from "../messages.ts";
import { type Notify, PROJECT, type WranglerRunner } from "./wrangler.ts";

/** What the commands read of a configuration of wrangler. */
export interface Configuration {
  name?: string;
  assets?: { run_worker_first?: string[] };
  vars?: Record<string, unknown>;
  d1_databases?: {
    binding: string;
    database_name?: string;
    database_id?: string;
    preview_database_id?: string;
  }[];
  kv_namespaces?: { binding: string; id?: string; preview_id?: string }[];
  ratelimits?: { name: string; simple: { period: number } }[];
  /** What previews have instead of the fields above. */
  previews?: Configuration;
}

/** The stores that records are loaded into, as `STORE` names them. */
export const STORE_NAMES = ["d1", "kv"] as const;
export type StoreName = (typeof STORE_NAMES)[number];

/** Which store a command means. */
export interface StoreChoice {
  /** By default the one that the configuration says the worker serves from. */
  store?: StoreName | undefined;
  /** True for the deployed one; by default that on this machine. */
  remote?: boolean | undefined;
  /** The folder of the one on this machine, as in `wrangler dev --persist-to`; by default .wrangler/state. */
  persistTo?: string | undefined;
  /** The configuration that names it; by default wrangler.toml. */
  config?: string | undefined;
  /** How long a load into a deployed KV waits until its blocks are visible, in milliseconds; tests wait for a shorter time. */
  propagationMs?: number | undefined;
  /** Prints a notice if a command of a deployed store takes long; by default on standard error. */
  notify?: Notify | undefined;
  /** Replaces wrangler in tests. */
  wrangler?: WranglerRunner | undefined;
}

/** The value of `STORE` with which the worker serves the seed from its static assets. */
export const SEED_STORE = "seed";

/**
 * Reads a configuration of wrangler: TOML, or JSON if its name ends so. Importing wrangler for it would take a second
 * and 100 MB.
 * @param path by default that of wrangler.toml
 * @throws Error if it does not exist or cannot be parsed
 */
export async function readConfiguration(path = join(PROJECT, "wrangler.toml")): Promise<Configuration> {
  const file = resolve(path);
  try {
    const text = await readFile(file, "utf8");
    return file.endsWith(".json") ? JSON.parse(text) : parse(text);
  } catch (cause) {
    throw new Error(`The configuration ${path} cannot be read: ${describeFileError(cause)}`, { cause });
  }
}

/**
 * @param name the setting `STORE`
 * @param config the configuration that sets it, for the message
 * @throws Error if it is not the name of a store that records are loaded into
 */
export function requireStoreName(name: unknown, config?: string): StoreName {
  const known = STORE_NAMES.find((store) => store === name);
  if (known) return known;
  const setting = `STORE is ${JSON.stringify(name)}${config === undefined ? "" : ` in ${config}`}`;
  if (name === SEED_STORE)
    throw new Error(
      `${setting}: the worker serves the files of data/seed, and nothing is loaded. Change these files, or choose a store with --store.`,
    );
  throw new Error(`${setting}; it must be "d1", "kv" or "seed"`);
}
