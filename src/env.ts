import type {
  D1Database,
  Fetcher,
  KVNamespace,
  RateLimit,
  WorkerVersionMetadata,
} from "@cloudflare/workers-types";

/** The bindings and variables of wrangler.toml. */
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
  DB: D1Database;
  /** The KV namespace that holds it if `STORE` is `kv`. */
  KV: KVNamespace;
  /** The static files, with the templates of the OpenAPI document and of the API reference. */
  ASSETS: Fetcher;
  /** Counts requests if `RATE_LIMIT` is not `off`. */
  RATE_LIMITER?: RateLimit;
  /** The deployed version of the code. */
  CF_VERSION_METADATA?: WorkerVersionMetadata;
}
