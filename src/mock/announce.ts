import { ERROR_CACHING } from "../http/headers.ts";
import type { Decision } from "./decision.ts";
import { OPTION_NAMES, type OptionName } from "./options.ts";
import type { Preferences } from "./prefer.ts";

/** `Cache-Control` of a response without a fault. A cache must ask again, because the next response may have one. */
const UNCHANGED_CACHING = "no-cache";

/**
 * Changes the headers of a response to a request with preferences: those for caches, the options that were applied (RFC 7240,
 * 3), and the preferences that are wrong.
 * @param faults the options that changed the response, without limits
 * @param isGrown whether it is a page of a collection that grows, which is not a fault
 */
export function announce(
  headers: Headers,
  { texts, warnings }: Preferences,
  faults: OptionName[],
  isGrown: boolean,
): void {
  const isFaulty = faults.length > 0;
  if (isFaulty) headers.delete("ETag");
  if (!headers.get("Cache-Control")?.startsWith(ERROR_CACHING))
    headers.set("Cache-Control", isFaulty ? ERROR_CACHING : UNCHANGED_CACHING);
  const names = new Set([...faults, ...listLimits(faults), ...(isGrown ? ["grow"] : [])]);
  const applied = OPTION_NAMES.filter((name) => names.has(name)).flatMap((name) => texts.get(name) ?? []);
  if (applied.length > 0) headers.set("Preference-Applied", applied.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}

/** The options that take effect on any response. The others do if the response could be changed. */
export function listCertain({ delayMs, status, faults }: Decision): OptionName[] {
  const names: OptionName[] = [];
  if (faults.close) names.push("close");
  if (delayMs !== undefined) names.push("delay");
  if (status !== undefined) names.push("code", "hang");
  if (status === 429 || status === 503) names.push("retry-after");
  return names;
}

/** The limits that let faults through. `fail` does not limit a delay. */
function listLimits(faults: OptionName[]): OptionName[] {
  if (faults.length === 0) return [];
  const limits: OptionName[] = ["on", "until", "times", "seed"];
  return faults.every((name) => name === "delay") ? limits : [...limits, "fail"];
}
