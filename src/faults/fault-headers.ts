import { ERROR_CACHE_CONTROL } from "../http/headers.ts";
import type { AppliedOptions } from "./applied-options.ts";
import { isSentInParts } from "./body-faults.ts";
import type { FaultOptions } from "./fault-options.ts";
import { hasFault, type OptionValues } from "./option-table.ts";

/** `Cache-Control` of a page that caches must revalidate, because the next response can have a fault. */
export const REVALIDATED_CACHE_CONTROL = "no-cache";

/** `Cache-Control` of a body that is cut or slow. */
export const BODY_FAULT_CACHE_CONTROL = "no-store, no-transform";

/**
 * Whether caches must not store the response. Caches do not vary on `Prefer`, and a 304 must not update a stored page (RFC 9111, 4.3.4).
 * @param active The options that take effect
 */
export function isPrivateResponse(active: OptionValues, { growsByHeader, warnings }: FaultOptions): boolean {
  return growsByHeader || warnings.length > 0 || hasFault(active);
}

/** Sets `Preference-Applied`, `Mock-Warning`, and the headers for caches. */
export function setFaultHeaders(
  { status, headers }: Response,
  { values, formatted }: AppliedOptions,
  { warnings, isPrivate }: { warnings: string[]; isPrivate: boolean },
): void {
  if (isPrivate) headers.delete("ETag");
  // No cache may store an error, with or without faults.
  if (status < 400) headers.set("Cache-Control", isPrivate ? ERROR_CACHE_CONTROL : REVALIDATED_CACHE_CONTROL);
  if (isSentInParts(values.body)) preventCompression(headers);
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
