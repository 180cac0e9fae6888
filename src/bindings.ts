import type {
  D1Database,
  Fetcher,
  KVNamespace,
  RateLimit,
  WorkerVersionMetadata,
} from "@cloudflare/workers-types";
import type * as hono from "hono";

/** A setting is wrong, or a binding that it needs is missing. */
export class SettingError extends Error {
  readonly setting: string;

  /**
   * @param setting its name
   * @param value what it is
   * @param problem what follows the value in the message, such as `; it must be "on" or "off"`
   */
  constructor(setting: string, value: unknown, problem: string) {
    super(`${setting} is ${JSON.stringify(value)}${problem}`);
    this.setting = setting;
  }
}

/** The bindings and variables of wrangler.toml, any of which can be missing there. */
export interface Env {
  /** Which store serves the collection: `d1`, `kv` or `seed`. */
  STORE?: string;
  /** Scheme, host and port for links, if a proxy or tunnel hides those that clients use. */
  PUBLIC_ORIGIN?: string;
  /** `off`, or the period in seconds of `RATE_LIMITER`, `10` or `60`, which then limits the requests of each client. */
  RATE_LIMIT?: string;
  /** Preferences for requests of the collection that name none, such as `delay=200-800`; empty for none. */
  PREFER?: string;
  /** `off` ends all faults, so that `PREFER` and the preferences of requests have no meaning. By default `on`. */
  FAULTS?: string;
  /** The D1 database that holds the collection if `STORE` is `d1`. */
  DB?: D1Database;
  /** The KV namespace that holds it if `STORE` is `kv`. */
  KV?: KVNamespace;
  /** The static files, with the templates of the OpenAPI document and of the API reference. */
  ASSETS?: Fetcher;
  /** Counts requests if `RATE_LIMIT` is not `off`. */
  RATE_LIMITER?: RateLimit;
  /** The deployed version of the code. */
  CF_VERSION_METADATA?: WorkerVersionMetadata;
}

/** The environment of the service, as Hono types it. */
export interface CollectionEnv {
  Bindings: Env;
}

/** Hono's own types have no bindings by default, so no other file imports them. */
export type CollectionContext = hono.Context<CollectionEnv>;
export type CollectionMiddleware = hono.MiddlewareHandler<CollectionEnv>;
