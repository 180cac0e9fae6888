import { Hono } from "hono";
import { type CollectionContext, type CollectionEnv, type Env, SettingError } from "./bindings.ts";
import { logFailedRequest, rejectMethod, unavailable } from "./http/errors.ts";
import { ERROR_CACHE_CONTROL } from "./http/headers.ts";
import { requireSettings } from "./settings.ts";
import { createStore } from "./store/create-store.ts";
import { withTimeout } from "./store/retry.ts";
import type { State, StateRead } from "./store/state.ts";

const PATH = "/healthz";

/** Max age of a read of the store. Requests share reads because `/healthz` has no rate limit. */
const READ_MAX_AGE_MS = 1_000;

/** The latest read, by environment. An instance of the worker has one environment. */
const latestReads = new WeakMap<Env, { at: number; reading: Promise<StateRead> }>();

/**
 * The health check for monitors. It reads the store without the cache of the instance, because the cache serves pages even while the
 * store fails. The route comes before the rate limit and the faults, so that every monitor gets the true state.
 */
export const health = new Hono<CollectionEnv>();

health.get(PATH, async (c) => {
  c.header("Cache-Control", ERROR_CACHE_CONTROL);
  const { CF_VERSION_METADATA, STORE, PREFER, FAULTS } = c.env;
  const faults = FAULTS !== "off";
  const prefer = (faults && PREFER) || null;
  const details = { code: CF_VERSION_METADATA ?? null, store: STORE ?? null, faults, prefer };
  try {
    requireSettings(c.env);
    const { state } = await readSharedState(c);
    return c.json({ status: "ok", ...details, state: toHealthState(state, Date.now()) });
  } catch (error) {
    return respondUnavailable(c, error, details);
  }
});

health.all(PATH, rejectMethod);

/** Reads the state, or shares the read of an earlier request. */
function readSharedState(c: CollectionContext): Promise<StateRead> {
  const now = Date.now();
  const latestRead = latestReads.get(c.env);
  if (latestRead && now - latestRead.at < READ_MAX_AGE_MS) return withTimeout(latestRead.reading);
  const reading = withTimeout(createStore(c.env).readState());
  latestReads.set(c.env, { at: now, reading });
  c.executionCtx.waitUntil(reading.catch(() => undefined));
  return reading;
}

function respondUnavailable(c: CollectionContext, error: unknown, details: object): Response {
  logFailedRequest(error, c);
  const { message, status, headers } = unavailable();
  // The value of a setting may be private, so only the log contains the value.
  const detail =
    error instanceof SettingError ? `The setting ${error.setting} is invalid. See the log.` : message;
  return c.json({ status: "unavailable", ...details, detail }, status, headers);
}

/** Returns the state for monitors. Unknown values are null, and an age below 0 becomes 0, because clocks can differ. */
export function toHealthState({ load, count, loaded_at, source }: State, now: number) {
  const age = Math.floor((now - Date.parse(loaded_at ?? "")) / 1000);
  return {
    load: load === "" ? null : load,
    count,
    loaded_at,
    age_seconds: Number.isNaN(age) ? null : Math.max(0, age),
    source,
  };
}
