import { type Env, SettingError } from "./bindings.ts";
import { requireFaultOptions } from "./faults/fault-options.ts";
import { requireOrigin } from "./http/origin.ts";
import { getRateLimitPeriod } from "./http/rate-limit.ts";
import { createStore } from "./store/create-store.ts";

/** Describes the settings that clients may know. */
export function describeSettings(env: Env) {
  const faults = env.FAULTS !== "off";
  return {
    /** The period of the rate limit; null if there is no limit. */
    rate_limit_seconds: getRateLimitPeriod(env),
    faults,
    /** The default options of requests; null if there are none. */
    prefer: faults && env.PREFER ? env.PREFER : null,
  };
}

/**
 * Checks all settings and the bindings that they need. Values from wrangler.toml can have any type.
 * @throws SettingError
 */
export function requireSettings(env: Env): void {
  const { PUBLIC_ORIGIN, RATE_LIMIT = "off", RATE_LIMITER, PREFER, FAULTS = "on" } = env;
  // Throws if STORE is invalid.
  createStore(env);
  if (PUBLIC_ORIGIN) requireOrigin("PUBLIC_ORIGIN", PUBLIC_ORIGIN);
  if (!["off", "10", "60"].includes(RATE_LIMIT))
    throw new SettingError("RATE_LIMIT", RATE_LIMIT, '; it must be "off", "10" or "60"');
  if (RATE_LIMIT !== "off" && RATE_LIMITER === undefined)
    throw new SettingError("RATE_LIMIT", RATE_LIMIT, ", but wrangler.toml binds no RATE_LIMITER");
  if (!["on", "off"].includes(FAULTS)) throw new SettingError("FAULTS", FAULTS, '; it must be "on" or "off"');
  if (PREFER && FAULTS === "on") requireFaultOptions("PREFER", String(PREFER));
}
