import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parse } from "smol-toml";
import { describeFileError } from "../messages.ts";
import { type Notify, PROJECT, type WranglerRunner } from "./wrangler.ts";

/** The parts of a wrangler configuration that the commands use. */
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
  /** The configuration of previews, with the same fields. */
  previews?: Configuration;
}

/** The values of `STORE` for stores that records are loaded into. */
export const STORE_NAMES = ["d1", "kv"] as const;
export type StoreName = (typeof STORE_NAMES)[number];

/** The options of a command that choose a store. */
export interface StoreChoice {
  /** The default is `STORE` in the configuration. */
  store?: StoreName | undefined;
  /** Whether to use the deployed store. The default is the local store. */
  remote?: boolean | undefined;
  /** The folder of the local store, as in `wrangler dev --persist-to`. The default is .wrangler/state. */
  persistTo?: string | undefined;
  /** The path of the configuration. The default is wrangler.toml. */
  config?: string | undefined;
  /** How long a load into a deployed KV waits until its blocks are visible, in milliseconds; tests wait for a shorter time. */
  propagationMs?: number | undefined;
  /** Prints a notice if a wrangler command is slow. The default is standard error. */
  notify?: Notify | undefined;
  /** Replaces wrangler in tests. */
  wrangler?: WranglerRunner | undefined;
}

/** The value of `STORE` for a worker that serves the seed from its static assets. */
export const SEED_STORE = "seed";

/**
 * Reads a wrangler configuration: TOML, or JSON if its name ends in `.json`. Wrangler's own parser would be slow to import.
 * @param path The default is wrangler.toml
 * @throws Error if the file does not exist or cannot be parsed
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
 * @param name The variable `STORE`
 * @param config The configuration that sets the variable, for the message
 * @throws Error if no records can be loaded into this store
 */
export function requireStoreName(name: unknown, config?: string): StoreName {
  const known = STORE_NAMES.find((store) => store === name);
  if (known) return known;
  const setting = `STORE is ${JSON.stringify(name)}${config === undefined ? "" : ` in ${config}`}`;
  if (name === SEED_STORE)
    throw new Error(
      `${setting}: the worker serves the files of data/seed, and no records can be loaded. Change these files, or choose a store with --store.`,
    );
  throw new Error(`${setting}; it must be "d1", "kv" or "seed"`);
}
