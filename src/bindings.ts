import type * as workers from "@cloudflare/workers-types";
import type * as hono from "hono";

/** The bindings and variables from wrangler.toml. Each of them can be missing. */
export interface Env {
  /** The store of the collection: `d1`, `kv` or `seed`, and in the package `memory`, which needs no binding. */
  STORE?: string;
  /** Scheme, host and port for links, if a proxy or tunnel hides the public address. */
  PUBLIC_ORIGIN?: string;
  /** `off`, or the period of `RATE_LIMITER` in seconds: `10` or `60`. */
  RATE_LIMIT?: string;
  /** Default fault options, such as `delay=200-800`, for collection requests that set no options. Empty for no default options. */
  PREFER?: string;
  /** `off` turns off all faults, so that `PREFER` and the options of requests have no effect. By default `on`. */
  FAULTS?: string;
  /** The D1 database with the collection if `STORE` is `d1`. */
  DB?: workers.D1Database;
  /** The KV namespace with the collection if `STORE` is `kv`. */
  KV?: workers.KVNamespace;
  /** The static files, which contain the sample data. */
  ASSETS?: workers.Fetcher;
  /** The rate limiter that is used unless `RATE_LIMIT` is `off`. */
  RATE_LIMITER?: workers.RateLimit;
  /** The deployed version of the code. */
  CF_VERSION_METADATA?: workers.WorkerVersionMetadata;
}

/** Thrown if a variable is invalid, or if the binding that it needs is missing. */
export class SettingError extends Error {
  readonly setting: string;

  /** @param problem The end of the message, after the value, such as `; it must be "on" or "off"` */
  constructor(setting: string, value: unknown, problem: string) {
    super(`${setting} is ${JSON.stringify(value)}${problem}`);
    this.setting = setting;
  }
}

// The types of Hono have no bindings by default, so all files use these types instead.
export type AppEnv = { Bindings: Env };
export type AppContext = hono.Context<AppEnv>;
export type AppMiddleware = hono.MiddlewareHandler<AppEnv>;
