import type { RateLimit } from "@cloudflare/workers-types";
import type { AppMiddleware, Env } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { getClientKey } from "./client-key.ts";
import { formatThrottling, HttpError } from "./errors.ts";

/** Returns the period of the limit in seconds, or null if requests are not limited. */
export function getRateLimitPeriod({ RATE_LIMIT = "off" }: Env): number | null {
  return RATE_LIMIT === "off" ? null : Number(RATE_LIMIT);
}

/**
 * Limits the number of requests of each client, if `RATE_LIMIT` is set.
 * @throws 429
 */
export const limitRequests: AppMiddleware = async (c, next) => {
  const period = getRateLimitPeriod(c.env);
  const { RATE_LIMITER } = c.env;
  // With a period, the limiter is never missing: `requireSettings` has checked the binding.
  if (period === null || RATE_LIMITER === undefined) return next();
  if (await isAllowed(RATE_LIMITER, getClientKey(c))) return next();
  throw new HttpError(429, { detail: formatThrottling(period), headers: { "Retry-After": String(period) } });
};

/** If the limiter fails, all requests are allowed, so that the limiter does not cause an outage. */
async function isAllowed(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    logFailure({ event: "rate_limiter_failed" }, error);
    return true;
  }
}
