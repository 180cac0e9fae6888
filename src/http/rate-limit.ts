import type { RateLimit } from "@cloudflare/workers-types";
import { expandIPv6 } from "hono/utils/ipaddr";
import type { CollectionContext, CollectionMiddleware, Env } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { throttled } from "./errors.ts";

/** The period of the limit as `RATE_LIMIT` gives it, in seconds; undefined if requests are not limited. */
export function getLimitPeriod({ RATE_LIMIT }: Pick<Env, "RATE_LIMIT">): string | undefined {
  return RATE_LIMIT === "off" ? undefined : RATE_LIMIT;
}

/**
 * Creates a middleware that refuses clients that send too many requests (RFC 6585, 4). Off unless `RATE_LIMIT` is set.
 * @param exempt Paths that always respond, so that users can read about the service and its limit
 * @throws 429
 */
export function createRateLimit(exempt: string[]): CollectionMiddleware {
  return async function limitRequests(c, next) {
    const period = getLimitPeriod(c.env);
    const { RATE_LIMITER } = c.env;
    // The check of the settings has refused a period without its binding.
    if (period === undefined || !RATE_LIMITER || exempt.includes(c.req.path)) return next();
    if (await isAllowed(RATE_LIMITER, getClientKey(c))) return next();
    throw throttled(Number(period));
  };
}

/** If the limiter fails, every request is allowed: the limiter must not become a cause of outages. */
async function isAllowed(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    logFailure({ event: "rate_limiter_failed" }, error);
    return true;
  }
}

/** The beginning of an IPv4 address in the notation of IPv6 (RFC 4291, 2.5.5.2). */
const IPV4_MAPPED_PREFIX = "0000:0000:0000:0000:0000:ffff:";

/** The key of all clients whose address is not known. */
const UNKNOWN_CLIENT = "unknown";

/**
 * A key for the client of a request: its address, which the platform sends as a header, and the package passes next to the request.
 * A host can use every address of its IPv6 network of 64 bits (RFC 4291, 2.5.1), so these addresses share a key.
 */
export function getClientKey({ req, executionCtx }: CollectionContext): string {
  const { address = req.header("CF-Connecting-IP") ?? UNKNOWN_CLIENT } = executionCtx.props;
  if (!address.includes(":")) return address;
  // Under `wrangler dev`, a client can send any value in this header.
  const host = URL.parse(`http://[${address}]`)?.hostname;
  if (!host) return UNKNOWN_CLIENT;
  const expanded = expandIPv6(host.slice(1, -1));
  return expanded.startsWith(IPV4_MAPPED_PREFIX)
    ? expanded
    : `${expanded.slice(0, "2001:0db8:0000:0000".length)}::/64`;
}
