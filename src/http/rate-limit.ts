import type { RateLimit } from "@cloudflare/workers-types";
import { expandIPv6 } from "hono/utils/ipaddr";
import type { AppContext, AppMiddleware, Env } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { throttled } from "./errors.ts";

/** Returns the period of the limit in seconds, or undefined if requests are not limited. */
export function getRateLimitPeriod({ RATE_LIMIT }: Pick<Env, "RATE_LIMIT">): string | undefined {
  return RATE_LIMIT === "off" ? undefined : RATE_LIMIT;
}

/**
 * Creates a middleware that limits the number of requests of each client, if `RATE_LIMIT` is set.
 * @param exemptPaths Paths without a limit, so that users can always read about the service and its limit
 * @throws 429
 */
export function createRateLimit(exemptPaths: string[]): AppMiddleware {
  return async function limitRequests(c, next) {
    const period = getRateLimitPeriod(c.env);
    const { RATE_LIMITER } = c.env;
    // If a period is set, the limiter is never missing: `requireSettings` has checked the binding.
    if (period === undefined || !RATE_LIMITER || exemptPaths.includes(c.req.path)) return next();
    if (await isAllowed(RATE_LIMITER, getClientKey(c))) return next();
    throw throttled(Number(period));
  };
}

/** If the limiter fails, all requests are allowed, so that the limiter does not cause an outage. */
async function isAllowed(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    logFailure({ event: "rate_limiter_failed" }, error);
    return true;
  }
}

/** The prefix of an IPv4 address in IPv6 notation (RFC 4291). */
const IPV4_MAPPED_PREFIX = "0000:0000:0000:0000:0000:ffff:";

/** The key of all clients without a valid address. */
const UNKNOWN_CLIENT = "unknown";

/**
 * Returns a key for the client of a request, made from the client's address. The platform sends the address in a header, and the package
 * passes it in `executionCtx`. A host can use all addresses of its 64-bit IPv6 network, so these addresses share a key.
 */
export function getClientKey({ req, executionCtx }: AppContext): string {
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
