import { expandIPv6 } from "hono/utils/ipaddr";
import type { AppContext } from "../bindings.ts";
import { getHeader } from "./request.ts";

/** The prefix of an IPv4 address in IPv6 notation (RFC 4291). */
const IPV4_MAPPED_PREFIX = "0000:0000:0000:0000:0000:ffff:";

/** Returns a key to count the requests of a client. All clients without a valid address share one. */
export function getClientKey(c: AppContext): string {
  return findClientKey(c) ?? "unknown";
}

/**
 * Finds the key of a client: its address or, because a host can use all addresses of its 64-bit IPv6 network, that network. The platform
 * sends the address in a header, and the package passes it in `executionCtx`.
 * @returns undefined without a valid address, such as for requests from inside the process
 */
export function findClientKey({ req, executionCtx }: AppContext): string | undefined {
  const { address = getHeader(req.raw.headers, "CF-Connecting-IP") } = executionCtx.props;
  if (address === undefined || !address.includes(":")) return address;
  // Under `wrangler dev`, a client can send any value in this header.
  const host = URL.parse(`http://[${address}]`)?.hostname;
  if (host === undefined) return undefined;
  const expanded = expandIPv6(host.slice(1, -1));
  if (expanded.startsWith(IPV4_MAPPED_PREFIX)) return expanded;
  return `${expanded.split(":").slice(0, 4).join(":")}::/64`;
}
