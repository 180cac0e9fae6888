import { NO_STORE } from "../http/headers.ts";
import { type AppliedOptions, formatOptions } from "./applied-options.ts";
import { isSentInParts } from "./body-faults.ts";
import type { FaultOptions } from "./fault-options.ts";

/** `Cache-Control` of a page that caches must revalidate, because the next response can have a fault. */
const REVALIDATED = "no-cache";

/** Every `Cache-Control` of a response that a fault option has affected. */
export const FAULT_CACHE_CONTROLS = [REVALIDATED, NO_STORE].flatMap((value) => [
  value,
  `${value}, no-transform`,
]);

/**
 * Sets `Preference-Applied`, `Mock-Warning`, and the headers for caches. A page keeps its entity-tag unless a fault has changed its body.
 *
 * Caches may store neither a changed body nor what the header `Prefer` has affected: no response has `Vary: Prefer`, although RFC 7240, 2
 * asks for it, because the specification fixes `Vary`. All other pages are revalidated, so that a client with a cache also meets the next
 * fault. Two prices of a 304 are accepted, because the records stay right: with `no-store`, some caches drop their copy (RFC 9111, 3.2),
 * and without `Preference-Applied`, they keep that of their copy (RFC 9111, 4.3.4).
 */
export function setFaultHeaders(
  { status, headers }: Response,
  { values, changes }: AppliedOptions,
  { warnings, isFromHeader }: Pick<FaultOptions, "warnings" | "isFromHeader">,
): void {
  const applied = formatOptions(values).join(", ");
  const isChanged = changes.length > 0;
  const isOfHeader = warnings.length > 0 || (isFromHeader && applied !== "");
  if (isChanged) headers.delete("ETag");
  // No cache may store an error, with or without faults.
  if (status < 400) headers.set("Cache-Control", isChanged || isOfHeader ? NO_STORE : REVALIDATED);
  if (isSentInParts(values.body)) preventCompression(headers);
  if (applied !== "") headers.set("Preference-Applied", applied);
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}

/**
 * Prevents compression, which would buffer a slow body and the part before a cut. The platform respects `no-transform` (RFC 9111,
 * 5.2.2.6). `wrangler dev` compresses every response without a Content-Encoding, so the header is set to `identity`: no encoding.
 */
function preventCompression(headers: Headers): void {
  headers.append("Cache-Control", "no-transform");
  headers.set("Content-Encoding", "identity");
}
