import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { requireStore, type StoreName } from "../configuration.ts";
import { requirePeriod } from "../rate-limit.ts";
import { PROJECT } from "../wrangler.ts";
import { readOrigin } from "./arguments.ts";
import { ownName } from "./name.ts";
import type { Found, Resource } from "./resources.ts";

/** Where configurations with ids are kept, which git ignores. */
const DEPLOYMENTS = join(PROJECT, ".wrangler/deployments");

/** Production, or one preview: what is deployed there, and what belongs to it. */
export interface Place {
  /** The worker's name. */
  worker: string;
  /** The preview's name; undefined for production. */
  preview: string | undefined;
  store: StoreName;
  /** Where clients reach it, if wrangler.toml says. */
  origin: string | undefined;
  database: Resource;
  namespace: Resource;
}

/** wrangler.toml as it stands. */
export async function readConfiguration(): Promise<RawConfig> {
  // Wrangler takes half a second to import.
  const { experimental_readRawConfig } = await import("wrangler");
  return experimental_readRawConfig({ config: join(PROJECT, "wrangler.toml") }).rawConfig;
}

/**
 * What wrangler.toml says of a place.
 * @param preview the preview's name; undefined for production
 * @throws if it names no worker, or no store
 */
export function findPlace(configuration: RawConfig, preview: string | undefined): Place {
  const worker = requireName(configuration);
  const settings = settingsOf(configuration, preview);
  const [database] = settings.d1_databases ?? [];
  const [namespace] = settings.kv_namespaces ?? [];
  const own = ownName(worker, preview);
  return {
    worker,
    preview,
    store: requireStore(settings.vars?.STORE),
    origin: readOrigin(String(settings.vars?.PUBLIC_ORIGIN ?? "")),
    // In production the names that `wrangler deploy` gives them by itself, so that what it made is found.
    database: { name: (preview === undefined && database?.database_name) || own, id: database?.database_id },
    namespace: { name: `${own}-kv`, id: namespace?.id },
  };
}

/**
 * Sees that what is deployed can serve. Going back and removing a preview must work with any settings.
 * @param preview the preview's name; undefined for production
 * @throws if the address of wrangler.toml is none, or if its rate limit contradicts itself
 */
export function requireSettings(configuration: RawConfig, preview: string | undefined): void {
  const settings = settingsOf(configuration, preview);
  const { PUBLIC_ORIGIN = "", RATE_LIMIT } = settings.vars ?? {};
  if (PUBLIC_ORIGIN !== "" && readOrigin(String(PUBLIC_ORIGIN)) === undefined)
    throw new Error(
      `PUBLIC_ORIGIN is ${JSON.stringify(PUBLIC_ORIGIN)}; it must be such as "https://counts.example"`,
    );
  requirePeriod(RATE_LIMIT, settings);
}

function settingsOf(configuration: RawConfig, preview: string | undefined) {
  return preview === undefined ? configuration : (configuration.previews ?? {});
}

/** @throws if wrangler.toml names no worker */
export function requireName({ name }: RawConfig): string {
  if (!name) throw new Error("wrangler.toml gives the worker no name.");
  return name;
}

/**
 * Writes wrangler.toml with the ids of a place's database and namespace, for the commands that need them. The ids belong
 * to an account, so they stand in a file that is not committed, and that any machine can write again.
 * @param folder where
 * @returns its path
 */
export async function writeConfiguration(
  configuration: RawConfig,
  place: Place,
  database: Found,
  namespace: Found,
  folder = DEPLOYMENTS,
): Promise<string> {
  const own = ownName(place.worker, place.preview);
  const file = join(folder, `${own}.json`);
  const back = (path: string) => relative(dirname(file), join(PROJECT, path));
  const bound = bindResources(configuration, database, namespace, back);
  const { main, assets, previews } = configuration;
  const written: RawConfig = {
    ...configuration,
    ...bound,
    // `wrangler deploy` of a preview's file, by mistake, would make another worker, and leave production alone.
    name: own,
    ...(main === undefined ? {} : { main: back(main) }),
    ...(assets?.directory === undefined ? {} : { assets: { ...assets, directory: back(assets.directory) } }),
    ...(place.preview === undefined
      ? {}
      : { vars: previews?.vars ?? {}, previews: { ...previews, ...bound } }),
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
  return file;
}

/** Commands for stores, wrangler's and ours, look at production's settings only, so a preview's stand there too. */
function bindResources(
  configuration: RawConfig,
  database: Found,
  namespace: Found,
  back: (path: string) => string,
): Pick<RawConfig, "d1_databases" | "kv_namespaces"> {
  const [d1] = configuration.d1_databases ?? [];
  const [kv] = configuration.kv_namespaces ?? [];
  if (!d1?.migrations_dir || !kv)
    throw new Error("wrangler.toml binds no database with migrations, or no namespace.");
  return {
    d1_databases: [
      {
        binding: d1.binding,
        database_name: database.name,
        database_id: database.id,
        migrations_dir: back(d1.migrations_dir),
      },
    ],
    kv_namespaces: [{ binding: kv.binding, id: namespace.id }],
  };
}
