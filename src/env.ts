import type { D1Database } from "@cloudflare/workers-types";

/** What wrangler.toml binds and sets. */
export interface Env {
  /** The D1 database that holds the collection. */
  DB: D1Database;
  /** Scheme, host and port for links, where a proxy or tunnel hides those that clients use. */
  PUBLIC_ORIGIN?: string;
}
