import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { requireStore, type StoreName } from "../../data/stores/configuration.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { assignNamespaceIds, requirePeriod } from "../rate-limit.ts";
import type { ExistingResource, Resource } from "./resources.ts";

/** The folder for configuration files with the ids of resources. Git ignores it. */
const CONFIG_FOLDER = join(PROJECT, ".wrangler/deployments");

/** The number of hexadecimal digits of a hash in a name. */
export const HASH_LENGTH = 6;

/** The beginning of a hash of a text, for a name. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);
}

/**
 * What the names of all databases and namespaces of previews begin with. It contains a hash of the repository, so that they
 * differ from those of another worker, such as `NAME-preview-eu`, and of a worker with the same name from another repository.
 * @param origin the address of the repository
 */
export function previewPrefix(worker: string, origin: string): string {
  return `${worker}-preview-${shortHash(origin)}-`;
}

/** Production or one preview, with the resources that it uses. */
export interface DeployTarget {
  /** The name of the worker. */
  worker: string;
  /** The name of the preview; undefined for production. */
  preview: string | undefined;
  /** The name of the configuration file and, in a preview, of the database and the namespace. */
  name: string;
  store: StoreName;
  /** The public address, if wrangler.toml sets `PUBLIC_ORIGIN`. */
  origin: string | undefined;
  database: Resource;
  namespace: Resource;
}

/** Reads wrangler.toml without defaults, so that it can be written again. */
export async function readWranglerToml(): Promise<RawConfig> {
  // Importing wrangler takes half a second.
  const { experimental_readRawConfig } = await import("wrangler");
  return experimental_readRawConfig({ config: join(PROJECT, "wrangler.toml") }).rawConfig;
}

/**
 * Reads from wrangler.toml what belongs to production or to a preview.
 * @param preview the name of the preview; undefined for production
 * @param origin the address of the repository, for a preview
 * @throws if wrangler.toml does not name the worker or the store
 */
export function createTarget(
  configuration: RawConfig,
  preview: string | undefined,
  origin = "",
): DeployTarget {
  const worker = requireWorkerName(configuration);
  const settings = settingsOf(configuration, preview);
  const [database] = settings.d1_databases ?? [];
  const [namespace] = settings.kv_namespaces ?? [];
  const name = preview === undefined ? worker : previewPrefix(worker, origin) + preview;
  return {
    worker,
    preview,
    name,
    store: requireStore(settings.vars?.STORE),
    origin: originOf(String(settings.vars?.PUBLIC_ORIGIN ?? "")),
    // For production, these are the names that `wrangler deploy` itself chooses, so that resources it created are found.
    database: {
      name: (preview === undefined && database?.database_name) || name,
      id: findId(database?.database_id),
    },
    namespace: { name: preview === undefined ? `${name}-kv` : name, id: findId(namespace?.id) },
  };
}

/** The id of a resource; undefined if it is only a placeholder, such as `<YOUR_ID>` or zeros, which some templates need. */
function findId(id: string | undefined): string | undefined {
  return id !== undefined && /^[0-9a-f-]{32,36}$/i.test(id) && /[1-9a-f]/i.test(id) ? id : undefined;
}

/**
 * Checks the settings before a deployment. Rolling back and removing a preview work with any settings.
 * @param preview the name of the preview; undefined for production
 * @throws if `PUBLIC_ORIGIN` is not an origin, if a collection in KV should grow, or if `RATE_LIMIT` differs from the period
 *   in wrangler.toml
 */
export function requireSettings(configuration: RawConfig, preview: string | undefined): void {
  const settings = settingsOf(configuration, preview);
  const { PUBLIC_ORIGIN = "", RATE_LIMIT, STORE, GROW } = settings.vars ?? {};
  if (PUBLIC_ORIGIN !== "" && originOf(String(PUBLIC_ORIGIN)) === undefined)
    throw new Error(
      `PUBLIC_ORIGIN in wrangler.toml is ${JSON.stringify(PUBLIC_ORIGIN)}. It must be a URL without a path, for example "https://counts.example".`,
    );
  if (STORE === "kv" && GROW === "on")
    throw new Error(
      'GROW is "on" and STORE is "kv" in wrangler.toml, but KV takes loads only. Set STORE to "d1" or GROW to "off".',
    );
  requirePeriod(RATE_LIMIT, settings);
}

function settingsOf(configuration: RawConfig, preview: string | undefined) {
  return preview === undefined ? configuration : (configuration.previews ?? {});
}

/** @throws if wrangler.toml does not name the worker */
export function requireWorkerName({ name }: RawConfig): string {
  if (!name) throw new Error("wrangler.toml does not name the worker. Set `name`.");
  return name;
}

/** The scheme, host and port of a URL that has nothing else; undefined for any other text. */
export function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}

/**
 * Writes a copy of wrangler.toml with the ids of the database and the namespace, for commands that need them. The ids
 * belong to one account, so they are in a file that is not committed and that any machine can write again.
 * @returns the path of the file
 */
export async function writeConfigFile(
  configuration: RawConfig,
  target: DeployTarget,
  database: ExistingResource,
  namespace: ExistingResource,
  folder = CONFIG_FOLDER,
): Promise<string> {
  const file = join(folder, `${target.name}.json`);
  const fromFile = (path: string) => relative(dirname(file), join(PROJECT, path));
  const { ratelimits = [] } = settingsOf(configuration, target.preview);
  const bindings = {
    ...createStoreBindings(configuration, database, namespace, fromFile),
    ratelimits: assignNamespaceIds(target.name, ratelimits),
  };
  const { main, assets, previews } = configuration;
  const written: RawConfig = {
    ...configuration,
    ...bindings,
    // If someone runs `wrangler deploy` with the file of a preview, production must not be overwritten.
    name: target.name,
    // An account has few cron triggers, so a collection that does not grow takes none. An empty list removes the existing one.
    ...(settingsOf(configuration, target.preview).vars?.GROW === "on" ? {} : { triggers: { crons: [] } }),
    ...(main === undefined ? {} : { main: fromFile(main) }),
    ...(assets?.directory === undefined
      ? {}
      : { assets: { ...assets, directory: fromFile(assets.directory) } }),
    // The commands for stores, wrangler's and ours, read the settings of production only.
    ...(target.preview === undefined
      ? {}
      : { vars: previews?.vars ?? {}, previews: { ...previews, ...bindings } }),
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
  return file;
}

function createStoreBindings(
  configuration: RawConfig,
  database: ExistingResource,
  namespace: ExistingResource,
  fromFile: (path: string) => string,
): Pick<RawConfig, "d1_databases" | "kv_namespaces"> {
  const [d1] = configuration.d1_databases ?? [];
  const [kv] = configuration.kv_namespaces ?? [];
  if (!d1?.migrations_dir || !kv)
    throw new Error("wrangler.toml must bind a D1 database with a migrations_dir, and a KV namespace.");
  return {
    d1_databases: [
      {
        binding: d1.binding,
        database_name: database.name,
        database_id: database.id,
        migrations_dir: fromFile(d1.migrations_dir),
      },
    ],
    kv_namespaces: [{ binding: kv.binding, id: namespace.id }],
  };
}
