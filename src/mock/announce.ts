import { ERROR_CACHING } from "../http/headers.ts";
import type { Decision } from "./decision.ts";
import { OPTION_NAMES, type OptionName } from "./options.ts";
import type { Preferences } from "./prefer.ts";

/** `Cache-Control` of a response without a fault. A cache must ask again, because the next response may have one. */
const UNCHANGED_CACHING = "no-cache";

/** The options that make a random choice. A delay does if it is a range. */
const RANDOM_OPTIONS: OptionName[] = ["fail", "rows", "record"];

/**
 * Changes the headers of a response to a request with preferences: those for caches, the options that were applied (RFC 7240,
 * 3), and the preferences that are wrong.
 * @param faults the options that changed the response, without limits
 * @param isGrown whether it is a page of a collection that grows, which is not a fault
 */
export function announce(
  headers: Headers,
  preferences: Preferences,
  faults: OptionName[],
  isGrown: boolean,
): void {
  const { warnings } = preferences;
  const isFaulty = faults.length > 0;
  if (isFaulty) headers.delete("ETag");
  if (!headers.get("Cache-Control")?.startsWith(ERROR_CACHING))
    headers.set("Cache-Control", isFaulty ? ERROR_CACHING : UNCHANGED_CACHING);
  const applied = listApplied(preferences, [
    ...faults,
    ...listLimits(faults),
    ...(isGrown ? ["grow" as const] : []),
  ]);
  if (applied.length > 0) headers.set("Preference-Applied", writeApplied(applied));
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
  return faults.every((name) => name === "delay")
    ? ["on", "until", "times"]
    : ["on", "until", "times", "fail"];
}

/** Proxies refuse headers that are much longer, in characters. */
const LONGEST_LIST = 1_024;

/** If the list is too long, it has only the names of options with long values. */
function writeApplied(applied: string[]): string {
  const list = applied.join(", ");
  return list.length <= LONGEST_LIST ? list : list.replaceAll(/=(?:"[^"]{40,}"|[^",]{40,})/g, "");
}

/** The applied options as the client wrote them, in the order of the table. */
function listApplied({ options, texts }: Preferences, applied: OptionName[]): string[] {
  const names = new Set(applied.filter((name) => texts.has(name)));
  const { delay } = options;
  const hasRange = names.has("delay") && delay?.min !== delay?.max;
  if (hasRange || RANDOM_OPTIONS.some((name) => names.has(name))) names.add("seed");
  return OPTION_NAMES.filter((name) => names.has(name)).flatMap((name) => texts.get(name) ?? []);
}
