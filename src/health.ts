import { Hono } from "hono";
import { type CollectionContext, type CollectionEnv, type Env, SettingError } from "./bindings.ts";
import { logFailedRequest, refuseMethod, unavailable } from "./http/errors.ts";
import { ERROR_CACHING } from "./http/headers.ts";
import { requireSettings } from "./settings.ts";
import { createStore } from "./store/create-store.ts";
import { withTimeout } from "./store/retry.ts";
import type { State, StateRead } from "./store/state.ts";

const PATH = "/healthz";

/** All monitors that ask within this time share a read of the store, because nothing else limits them. */
const READ_MAX_AGE_MS = 1_000;

/** The latest read of each environment, of which an instance of the worker has one. */
const latestReads = new WeakMap<Env, { at: number; reading: Promise<StateRead> }>();

/**
 * Reports whether the service works, for monitors. It asks the store itself, without the cache of the instance, which
 * serves pages while the store fails; and no cache keeps the response (RFC 9111, 5.2.2.5). It comes before the rate limit,
 * so that a monitor always gets through and sees what is true.
 */
export const health = new Hono<CollectionEnv>();

health.get(PATH, async (c) => {
  c.header("Cache-Control", ERROR_CACHING);
  const { CF_VERSION_METADATA, STORE, PREFER, FAULTS } = c.env;
  const faults = FAULTS !== "off";
  const mock = { faults, prefer: (faults && PREFER) || null };
  const details = { code: CF_VERSION_METADATA ?? null, store: STORE ?? null, ...mock };
  try {
    requireSettings(c.env);
    const { state } = await readSharedState(c);
    return c.json({ status: "ok", ...details, state: toHealthState(state, Date.now()) });
  } catch (error) {
    return respondUnavailable(c, error, details);
  }
});

health.all(PATH, refuseMethod);

/** Reads the state, or takes what another request has read or is reading. */
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
  // The value of a setting may be private, so only the log has it.
  const detail =
    error instanceof SettingError ? `The setting ${error.setting} is wrong. The log says why.` : message;
  return c.json({ status: "unavailable", ...details, detail }, status, headers);
}

/**
 * @param now milliseconds since 1970
 * @returns nulls for what is not known; the age in whole seconds, 0 if the clocks of loader and worker disagree
 */
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
