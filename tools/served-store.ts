import {
  type Configuration,
  requireStore,
  SEED_STORE,
  type StoreName,
} from "../data/writer/configuration.ts";

/** The part of wrangler.toml that belongs to one worker: the file as a whole, or its `[previews]`. */
type Settings = Pick<Configuration, "vars" | "ratelimits" | "d1_databases" | "kv_namespaces">;

/** The name of the rate limit in wrangler.toml. */
const LIMITER = "RATE_LIMITER";

/**
 * Checks settings with which the worker would start, but not serve as intended.
 * @returns the store that the worker serves from
 * @throws Error if STORE names no store or one that is not bound, or if RATE_LIMIT is not the period that is counted
 */
export function requireServedStore(settings: Settings): StoreName | typeof SEED_STORE {
  const { STORE, RATE_LIMIT } = settings.vars ?? {};
  requirePeriod(RATE_LIMIT, settings);
  if (STORE === SEED_STORE) return SEED_STORE;
  const store = requireStore(STORE);
  if (store === "d1" && !settings.d1_databases?.length)
    throw new Error('STORE is "d1", but wrangler.toml binds no DB. Add it to [[d1_databases]].');
  if (store === "kv" && !settings.kv_namespaces?.length)
    throw new Error(
      'STORE is "kv", but wrangler.toml binds no KV. Uncomment [[kv_namespaces]] in wrangler.toml.',
    );
  return store;
}

/** RATE_LIMIT, which is sent to clients, must be the period in which the platform counts: the worker cannot see it. */
function requirePeriod(setting: unknown, { ratelimits = [] }: Settings): void {
  const limiter = ratelimits.find(({ name }) => name === LIMITER);
  if (!limiter || !["10", "60"].includes(String(setting))) return;
  const { period } = limiter.simple;
  if (Number(setting) === period) return;
  throw new Error(
    `RATE_LIMIT is "${setting}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s: the two must agree.`,
  );
}
