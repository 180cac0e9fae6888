import { Hono } from "hono";
import { type AppContext, type AppEnv, type Env, SettingError } from "../bindings.ts";
import { logFailedRequest } from "../http/error-response.ts";
import { rejectOtherMethods, UnavailableError } from "../http/errors.ts";
import { NO_STORE } from "../http/headers.ts";
import { describeSettings, requireSettings } from "../settings.ts";
import { createStore } from "../store/create-store.ts";
import type { MaybeSnapshot } from "../store/snapshot.ts";
import { type CurrentSnapshot, withTimeout } from "../store/store.ts";
import { HEALTH_PATH } from "../views/site.ts";

/** How long health checks share a read, even a failed one: `/healthz` has no rate limit, so any number of them can arrive. */
const SHARED_READ_MS = 1_000;

/** The latest read of each environment. An instance of the worker has one environment. */
const latestReads = new WeakMap<Env, { startedAt: number; reading: Promise<CurrentSnapshot> }>();

/** Creates the health check for monitors. It reads the store itself, because the cache of the instance hides that a store fails. */
export function createHealth(): Hono<AppEnv> {
  const health = new Hono<AppEnv>();

  health.get(HEALTH_PATH, async (c) => {
    c.header("Cache-Control", NO_STORE);
    const { STORE: store = null, CF_VERSION_METADATA: code = null } = c.env;
    const { faults, prefer } = describeSettings(c.env);
    const deployment = { code, store, faults, prefer };
    try {
      requireSettings(c.env);
      const { snapshot } = await readSharedSnapshot(c);
      return c.json({ status: "ok", ...deployment, snapshot: describeSnapshot(snapshot, Date.now()) });
    } catch (error) {
      logFailedRequest(error, c);
      const { message, headers } = new UnavailableError();
      // Names the setting without its value, which may be private.
      const detail =
        error instanceof SettingError ? `The setting ${error.setting} is invalid. See the log.` : message;
      return c.json({ status: "unavailable", ...deployment, detail }, 503, headers);
    }
  });

  health.all(HEALTH_PATH, rejectOtherMethods("GET, HEAD"));

  return health;
}

/** Reads the current snapshot, or waits for the read that another check has just started. */
function readSharedSnapshot({ env, executionCtx }: AppContext): Promise<CurrentSnapshot> {
  const now = Date.now();
  let latest = latestReads.get(env);
  if (latest === undefined || now - latest.startedAt >= SHARED_READ_MS) {
    latest = { startedAt: now, reading: createStore(env).readCurrent() };
    latestReads.set(env, latest);
    // Keeps the read alive for the other checks when this request ends.
    executionCtx.waitUntil(latest.reading.catch(() => undefined));
  }
  // Each check has its own timeout: the runtime can end the check that began the read, and its read, without notice.
  return withTimeout(latest.reading);
}

/**
 * Describes the current snapshot for monitors. Unknown values are null.
 * @param now Milliseconds since 1970. The age is never negative, even if clocks differ
 */
export function describeSnapshot({ id, count, loaded_at, source }: MaybeSnapshot, now: number) {
  // NaN without a time, or with an invalid one.
  const age = Math.floor((now - Date.parse(loaded_at ?? "")) / 1_000);
  return { id, count, loaded_at, age_seconds: Number.isNaN(age) ? null : Math.max(0, age), source };
}
