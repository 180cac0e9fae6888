import {
  type Configuration,
  requireStoreName,
  SEED_STORE,
  type StoreName,
} from "../data/writer/configuration.ts";
import type { Env } from "../src/bindings.ts";
import { requireSettings } from "../src/settings.ts";

/** The part of wrangler.toml that belongs to one worker: the file as a whole, or its `[previews]`. */
type Settings = Pick<Configuration, "vars" | "ratelimits" | "d1_databases" | "kv_namespaces">;

/** The name of the rate limit in wrangler.toml. */
const RATE_LIMITER_NAME = "RATE_LIMITER";

/**
 * Checks the settings before they are served: as the worker does, and what it cannot see.
 * @returns the store that the worker serves from
 * @throws Error that names a setting that is wrong
 */
export function requireValidSettings(settings: Settings): StoreName | typeof SEED_STORE {
  const { vars, ratelimits = [], d1_databases = [], kv_namespaces = [] } = settings;
  const bound = [...d1_databases, ...kv_namespaces].map(({ binding }) => binding);
  // Previews have the assets of production.
  const names = [...bound, ...ratelimits.map(({ name }) => name), "ASSETS"];
  const bindings = Object.fromEntries(names.map((name) => [name, {}]));
  requireSettings({ ...bindings, ...vars } as Partial<Record<keyof Env, unknown>> as Env);
  requireSamePeriod(settings);
  return vars?.STORE === SEED_STORE ? SEED_STORE : requireStoreName(vars?.STORE);
}

/** RATE_LIMIT, which is sent to clients, must be the period in which the platform counts. */
function requireSamePeriod({ vars, ratelimits = [] }: Settings): void {
  const period = ratelimits.find(({ name }) => name === RATE_LIMITER_NAME)?.simple.period;
  const setting = vars?.RATE_LIMIT ?? "off";
  if (setting === "off" || Number(setting) === period) return;
  throw new Error(
    `RATE_LIMIT is "${setting}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s: the two must agree.`,
  );
}
