import type { Env } from "../src/bindings.ts";
import { requireSettings } from "../src/settings.ts";
import {
  type Configuration,
  requireStoreName,
  SEED_STORE,
  type StoreName,
} from "./data/stores/configuration.ts";

/** The settings of production or of previews: wrangler.toml or its `[previews]`. */
export type Settings = Pick<Configuration, "vars" | "ratelimits" | "d1_databases" | "kv_namespaces">;

/** The name of the rate limit in wrangler.toml. */
const RATE_LIMITER_NAME = "RATE_LIMITER";

/**
 * Checks the settings before the worker starts. Unlike the worker, this check can see the period of the rate limit.
 * @returns The store of the worker
 * @throws Error with the name of an invalid setting
 */
export function requireValidSettings(settings: Settings): StoreName | typeof SEED_STORE {
  const { vars, ratelimits = [], d1_databases = [], kv_namespaces = [] } = settings;
  const bound = [...d1_databases, ...kv_namespaces].map(({ binding }) => binding);
  // `[previews]` does not list ASSETS, because previews inherit the assets.
  const names = [...bound, ...ratelimits.map(({ name }) => name), "ASSETS"];
  const bindings = Object.fromEntries(names.map((name) => [name, {}]));
  requireSettings({ ...bindings, ...vars } as Partial<Record<keyof Env, unknown>> as Env);
  requireSamePeriod(settings);
  return vars?.STORE === SEED_STORE ? SEED_STORE : requireStoreName(vars?.STORE);
}

/** The worker sends RATE_LIMIT to clients, so RATE_LIMIT must be the period in which the platform counts requests. */
function requireSamePeriod({ vars, ratelimits = [] }: Settings): void {
  const period = ratelimits.find(({ name }) => name === RATE_LIMITER_NAME)?.simple.period;
  const setting = vars?.RATE_LIMIT ?? "off";
  if (setting === "off" || Number(setting) === period) return;
  throw new Error(
    `RATE_LIMIT is "${setting}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s. Set both to the same period.`,
  );
}
