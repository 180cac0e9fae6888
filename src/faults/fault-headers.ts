import { NO_STORE } from "../http/headers.ts";
import { formatOptions } from "./applied-options.ts";
import { isSentInParts } from "./body-faults.ts";
import type { FaultOptions } from "./fault-options.ts";
import { hasFault, type OptionValues } from "./option-table.ts";

/** `Cache-Control` of a page that caches must revalidate, because the next response can have a fault. */
export const REVALIDATED_CACHE_CONTROL = "no-cache";

/** `Cache-Control` of a body that is cut or slow. */
export const BODY_FAULT_CACHE_CONTROL = "no-store, no-transform";

/**
 * Whether caches may store the response. They may not if the header `Prefer` or a fault has changed it: no response has `Vary: Prefer`,
 * although RFC 7240, 2 asks for it, because the specification fixes `Vary`. Nor may a 304 update a stored page (RFC 9111, 4.3.4). A cache
 * can still answer a request that has the header `Prefer` with a stored page.
 */
export function isCacheable(active: OptionValues, { growsByHeader, warnings }: FaultOptions): boolean {
  const isChangedByHeader = growsByHeader || warnings.length > 0;
  return !isChangedByHeader && !hasFault(active);
}

/** Sets `Preference-Applied`, `Mock-Warning`, and the headers for caches. */
export function setFaultHeaders(
  { status, headers }: Response,
  applied: OptionValues,
  { warnings, canBeCached }: { warnings: string[]; canBeCached: boolean },
): void {
  if (!canBeCached) headers.delete("ETag");
  // No cache may store an error, with or without faults.
  if (status < 400) headers.set("Cache-Control", canBeCached ? REVALIDATED_CACHE_CONTROL : NO_STORE);
  if (isSentInParts(applied.body)) preventCompression(headers);
  const formatted = formatOptions(applied);
  if (formatted.length > 0) headers.set("Preference-Applied", formatted.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}

/**
 * Prevents compression, which would buffer a slow body and the part before a cut. The platform respects `no-transform` (RFC 9111,
 * 5.2.2.6). `wrangler dev` compresses every response without a Content-Encoding, so the header is set to `identity`: no encoding.
 */
function preventCompression(headers: Headers): void {
  headers.set("Cache-Control", BODY_FAULT_CACHE_CONTROL);
  headers.set("Content-Encoding", "identity");
}
