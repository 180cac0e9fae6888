import type { RateLimit } from "@cloudflare/workers-types";
import type { Context, MiddlewareHandler, Next } from "hono";
import type { Env } from "../env.ts";
import { logFailure } from "../log.ts";
import { throttled } from "./errors.ts";

/** The periods that the platform knows, in seconds, as `RATE_LIMIT` names them. */
const PERIODS = ["10", "60"];

/** Whose requests are those without an address: only the platform, and `wrangler dev`, tell one. */
const NOBODY = "unknown";

/**
 * Refuses clients that ask too often, wherever they ask (RFC 6585, 4). Off unless `RATE_LIMIT` is set.
 * @throws 429, or an error if the setting or its binding is wrong
 */
export const rateLimit: MiddlewareHandler<{ Bindings: Env }> = (c, next) => {
  const period = c.env.RATE_LIMIT;
  return period === undefined || period === "off" ? next() : limit(c, next, period);
};

async function limit(c: Context<{ Bindings: Env }>, next: Next, period: string): Promise<void> {
  const limiter = c.env.RATE_LIMITER;
  if (!PERIODS.includes(period))
    throw new Error(`RATE_LIMIT is ${JSON.stringify(period)}; it must be "off", "10" or "60"`);
  if (!limiter) throw new Error(`RATE_LIMIT is "${period}", but wrangler.toml binds no RATE_LIMITER`);
  if (await allows(limiter, c.req.header("CF-Connecting-IP") ?? NOBODY)) return next();
  throw throttled(Number(period));
}

/** A limiter that fails allows everything: it is there so that the service goes on. */
async function allows(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    logFailure({ event: "rate_limit_failed" }, error);
    return true;
  }
}
