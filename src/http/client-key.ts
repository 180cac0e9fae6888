import { expandIPv6 } from "hono/utils/ipaddr";
import type { AppContext } from "../bindings.ts";

/** The prefix of an IPv4 address in IPv6 notation (RFC 4291). */
const IPV4_MAPPED_PREFIX = "0000:0000:0000:0000:0000:ffff:";

/** The key of all clients without a valid address, such as requests from inside the process. */
export const UNKNOWN_CLIENT = "unknown";

/**
 * Returns a key for the client of a request, made from the client's address. The platform sends the address in a header, and the package
 * passes it in `executionCtx`. A host can use all addresses of its 64-bit IPv6 network, so these addresses share a key.
 */
export function getClientKey({ req, executionCtx }: AppContext): string {
  const { address = req.header("CF-Connecting-IP") ?? UNKNOWN_CLIENT } = executionCtx.props;
  if (!address.includes(":")) return address;
  // Under `wrangler dev`, a client can send any value in this header.
  const host = URL.parse(`http://[${address}]`)?.hostname;
  if (host === undefined) return UNKNOWN_CLIENT;
  const expanded = expandIPv6(host.slice(1, -1));
  if (expanded.startsWith(IPV4_MAPPED_PREFIX)) return expanded;
  const network = expanded.split(":").slice(0, 4).join(":");
  return `${network}::/64`;
}
