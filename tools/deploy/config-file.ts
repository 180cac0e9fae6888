import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { readConfiguration } from "../../data/stores/configuration.ts";
import { assignNamespaceIds } from "../rate-limit.ts";
import { settingsOf, type Target } from "./target.ts";

/** Reads wrangler.toml as it is written, without wrangler's defaults. */
export async function readWranglerToml(project: string): Promise<RawConfig> {
  return (await readConfiguration(join(project, "wrangler.toml"))) as RawConfig;
}

/**
 * Writes a copy of wrangler.toml for a target, with the id of its database or namespace and without the other store. The id
 * belongs to one account, so git ignores the file, and any machine can write it again.
 * @param project the folder of wrangler.toml
 * @returns the path of the file
 */
export async function writeConfigFile(
  configuration: RawConfig,
  target: Target,
  id: string,
  project: string,
): Promise<string> {
  const { main, assets, previews } = configuration;
  const { vars = {}, ratelimits = [] } = settingsOf(configuration, target.preview);
  const bindings = {
    ...createStoreBindings(configuration, target, id, project),
    ratelimits: assignNamespaceIds(target.name, ratelimits),
  };
  const written: RawConfig = {
    ...configuration,
    ...bindings,
    // If someone runs `wrangler deploy` with the file of a preview, production must not be overwritten.
    name: target.name,
    // The commands for stores, wrangler's and ours, read the settings of production only.
    vars,
    ...(main && { main: resolve(project, main) }),
    ...(assets?.directory && { assets: { ...assets, directory: resolve(project, assets.directory) } }),
    previews: { ...previews, ...(target.preview === undefined ? {} : bindings) },
  };
  delete written.$schema;
  const file = join(project, ".wrangler/deployments", `${target.name}.json`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
  return file;
}

function createStoreBindings(
  { d1_databases: [d1] = [], kv_namespaces: [kv] = [] }: RawConfig,
  { store, resource }: Target,
  id: string,
  project: string,
): Pick<RawConfig, "d1_databases" | "kv_namespaces"> {
  if (!d1?.migrations_dir || !kv)
    throw new Error("wrangler.toml must bind a D1 database with a migrations_dir, and a KV namespace.");
  if (store === "kv") return { d1_databases: [], kv_namespaces: [{ binding: kv.binding, id }] };
  const migrations_dir = resolve(project, d1.migrations_dir);
  const database = { binding: d1.binding, database_name: resource.name, database_id: id, migrations_dir };
  return { d1_databases: [database], kv_namespaces: [] };
}
