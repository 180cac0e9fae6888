import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { requireStore, type StoreName } from "../../data/stores/configuration.ts";
import { requirePeriod } from "../rate-limit.ts";
import { previewPrefix } from "./names.ts";

/** Production or one preview. */
export interface Target {
  worker: string;
  /** The name of the preview; undefined for production. */
  preview: string | undefined;
  /** The name of the configuration file. */
  name: string;
  /** What the names of the resources of all previews begin with. */
  prefix: string;
  /** The store that the collection is served from. */
  store: StoreName;
  /** The database or the namespace of this store; its id, if wrangler.toml gives one. */
  resource: { name: string; id: string | undefined };
  /** The public address, if wrangler.toml sets `PUBLIC_ORIGIN`. */
  address: string | undefined;
}

/**
 * Reads from wrangler.toml what belongs to production or to a preview, and checks its settings.
 * @param origin the address of the repository
 * @param preview the name of the preview; undefined for production
 * @throws if a setting is invalid
 */
export function createTarget(configuration: RawConfig, origin: string, preview?: string): Target {
  const worker = requireWorkerName(configuration);
  const settings = settingsOf(configuration, preview);
  const { STORE, PUBLIC_ORIGIN, RATE_LIMIT } = settings.vars ?? {};
  const store = requireStore(STORE);
  requirePeriod(RATE_LIMIT, settings);
  const prefix = previewPrefix(worker, origin);
  const own = prefix + preview;
  const [database] = settings.d1_databases ?? [];
  const [namespace] = settings.kv_namespaces ?? [];
  // Wrangler looks for the resources of production under these names.
  const names = { d1: database?.database_name ?? `${worker}-db`, kv: `${worker}-kv` };
  const ids = { d1: database?.database_id, kv: namespace?.id };
  return {
    worker,
    preview,
    name: preview === undefined ? worker : own,
    prefix,
    store,
    resource: { name: preview === undefined ? names[store] : own, id: ids[store] },
    address: parseAddress(PUBLIC_ORIGIN, "PUBLIC_ORIGIN in wrangler.toml"),
  };
}

/** The part of wrangler.toml that belongs to production or to previews. */
export function settingsOf(configuration: RawConfig, preview: string | undefined) {
  return preview === undefined ? configuration : (configuration.previews ?? {});
}

/** @throws if wrangler.toml does not name the worker */
export function requireWorkerName({ name }: RawConfig): string {
  if (!name) throw new Error("wrangler.toml does not name the worker. Set `name`.");
  return name;
}

/**
 * Parses an address without a path; an empty text gives undefined.
 * @param name of the setting, for the error
 * @throws if the text is anything else
 */
export function parseAddress(text: unknown, name: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  const url = URL.parse(String(text));
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new Error(
    `${name} is ${JSON.stringify(text)}. It must be a URL without a path, for example "https://counts.example".`,
  );
}
