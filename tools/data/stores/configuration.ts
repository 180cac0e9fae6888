import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { parse } from "smol-toml";
import type { Unstable_RawConfig } from "wrangler";
import type { Env } from "../../../src/bindings.ts";
import { quoteForShell } from "../../../src/escape.ts";
import { requireSettings } from "../../../src/settings.ts";
import { describeFileError } from "../../messages.ts";
import { CONFIGURATION_FILE, PROJECT } from "../../paths.ts";
import type { WranglerRunner } from "../../wrangler.ts";

export type Configuration = Unstable_RawConfig;

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
  /** Replaces wrangler in a test. */
  wrangler?: WranglerRunner | undefined;
}

/** Formats an `npm run data` command for a message, with options that select the same store. */
export function formatDataCommand(command: string, { remote, store, persistTo, config }: StoreChoice) {
  const quote = (word: string) => (/^[\w./:@+-]+$/.test(word) ? word : quoteForShell(word));
  const named = { "--store": store, "--persist-to": persistTo, "--config": config };
  const options = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [name, quote(value)],
  );
  return ["npm run data --", command, ...(remote ? ["--remote"] : []), ...options].join(" ");
}

/** The value of `STORE` for a worker that serves the sample data from its static assets. */
export const SEED_STORE = "seed";

/**
 * Reads a wrangler configuration. Importing wrangler for its own parser takes a second.
 * @param path The default is wrangler.toml
 * @throws Error if the file does not exist or is not TOML, or if wrangler would not use its settings
 */
export async function readConfiguration(path = join(PROJECT, CONFIGURATION_FILE)): Promise<Configuration> {
  // Wrangler would read no settings from TOML with another name. It reads JSON, but these commands do not.
  if (!path.endsWith(".toml"))
    throw new Error(`The configuration ${path} is not supported: its name must end in .toml.`);
  await requireNoOverrides(path);
  try {
    return parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new Error(`The configuration ${path} cannot be read: ${describeFileError(cause)}`, { cause });
  }
}

/** The files beside a configuration from which wrangler also reads variables. */
const VARIABLE_FILES = [".dev.vars", ".env", ".env.local"];

/** The variables of wrangler that change which settings it uses. */
const WRANGLER_SETTINGS = ["CLOUDFLARE_ENV", "CLOUDFLARE_INCLUDE_PROCESS_ENV"];

/** The variables that select what is served, and where. */
const SETTINGS = ["STORE", "PUBLIC_ORIGIN", "RATE_LIMIT", "PREFER", "FAULTS"];

/**
 * Rejects settings outside the configuration. Wrangler would obey them and our commands would not: a load could fill a store that is not
 * served, and an environment deploys a second worker that shares the database.
 */
async function requireNoOverrides(path: string): Promise<void> {
  const variable = WRANGLER_SETTINGS.find((name) => process.env[name]);
  if (variable !== undefined)
    throw new Error(`The environment variable ${variable} is set. Unset it: all settings are in ${path}.`);
  // Wrangler also reads the files in the folder in which it runs.
  const folders = [resolve(dirname(path)), PROJECT];
  for (const file of folders.flatMap((folder) => VARIABLE_FILES.map((name) => join(folder, name)))) {
    const names = listVariables(await readFile(file, "utf8").catch(() => ""));
    const setting = names.find((name) => [...WRANGLER_SETTINGS, ...SETTINGS].includes(name));
    if (setting === undefined) continue;
    const advice = SETTINGS.includes(setting) ? ` Set it in ${path}, or with \`npm start -- --var\`.` : "";
    throw new Error(
      `${file} sets ${setting}, which only a part of the commands would use. Remove the line.${advice}`,
    );
  }
}

/** Lists the variables that a file sets. Wrangler's parser, dotenv, also accepts `NAME: value`, and a byte order mark at the beginning. */
function listVariables(text: string): string[] {
  return Object.keys(parseEnv(text.replace(/^\ufeff/, "").replaceAll(/:\s/g, "=")));
}

/**
 * Checks the settings of production and of previews as the worker does at a request. Also checks that `RATE_LIMIT` is the period of the rate
 * limiter: a client would otherwise be told to wait too long or too short.
 * @throws Error if a setting is invalid
 */
export function requireValidSettings(configuration: Partial<Configuration>, table = ""): void {
  const { vars = {}, previews, assets } = configuration;
  const ASSETS = assets?.binding === "ASSETS" ? assets : undefined;
  const DB = configuration.d1_databases?.find(({ binding }) => binding === "DB");
  const KV = configuration.kv_namespaces?.find(({ binding }) => binding === "KV");
  const RATE_LIMITER = configuration.ratelimits?.find(({ name }) => name === "RATE_LIMITER");
  // Here, the tables of the configuration are the bindings.
  requireSettings({ ASSETS, DB, KV, RATE_LIMITER, ...vars } as unknown as Env);
  const { RATE_LIMIT: setting = "off" } = vars;
  const period = RATE_LIMITER?.simple?.period;
  if (setting !== "off" && String(period) !== setting)
    throw new Error(`RATE_LIMIT is "${setting}", but the period in [[${table}ratelimits]] is ${period}.`);
  if (previews) requireValidSettings({ ...previews, assets }, "previews.");
}

/**
 * Checks that records can be loaded into the store that a configuration names.
 * @param name The variable `STORE`
 * @param config The configuration that sets the variable, for the message
 * @throws Error if there is no such store, or if it is the sample data
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
