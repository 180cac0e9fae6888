import { type Context, Hono } from "hono";
import type { Env } from "../env.ts";
import { logFailedRequest, methodNotAllowed, RETRY_AFTER_SECONDS, unavailable } from "../http/errors.ts";
import { ERROR_CACHING } from "../http/headers.ts";
import { openStore } from "../store/open.ts";
import { limitTime } from "../store/retry.ts";
import type { State } from "../store/state.ts";

const PATH = "/healthz";

/**
 * Reports whether the service works, for monitors. It asks the store itself, without the cache of the instance, which
 * serves pages while the store fails; and no cache keeps the response (RFC 9111, 5.2.2.5). It comes before the rate limit
 * and the mock, so that a monitor always gets through and sees what is true.
 */
export const health = new Hono<{ Bindings: Env }>();

health.get(PATH, async (c) => {
  c.header("Cache-Control", ERROR_CACHING);
  const { CF_VERSION_METADATA, STORE, PREFER } = c.env;
  const about = { code: CF_VERSION_METADATA ?? null, store: STORE ?? null, prefer: PREFER || null };
  try {
    const { state } = await limitTime(openStore(c.env).readState());
    return c.json({ status: "ok", ...about, state: describeState(state, Date.now()) });
  } catch (error) {
    return respondUnavailable(c, error, about);
  }
});

health.all(PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});

function respondUnavailable(c: Context<{ Bindings: Env }>, error: unknown, about: object): Response {
  logFailedRequest(error, c);
  c.header("Retry-After", String(RETRY_AFTER_SECONDS));
  return c.json({ status: "unavailable", ...about, ...unavailable().body }, 503);
}

/**
 * @param now milliseconds since 1970
 * @returns nulls for what is not known; the age in whole seconds, 0 if the clocks of loader and worker disagree
 */
export function describeState({ load, count, loaded_at, source }: State, now: number) {
  const age = Math.floor((now - Date.parse(loaded_at ?? "")) / 1000);
  return {
    load: load === "" ? null : load,
    count,
    loaded_at,
    age_seconds: Number.isNaN(age) ? null : Math.max(0, age),
    source,
  };
}
