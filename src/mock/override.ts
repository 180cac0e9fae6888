import { ERROR_CACHING } from "../http/headers.ts";
import type { PageOverride } from "../records/route.ts";
import { BODY_FAULT_HEADERS } from "./body-faults.ts";
import type { Decision } from "./decision.ts";
import { OPTION_NAMES, type OptionName } from "./options.ts";
import { changePage } from "./page-faults.ts";
import type { Preferences } from "./prefer.ts";
import type { RandomSource } from "./request-key.ts";

/** `Cache-Control` of a response without a fault. A cache must ask again, because the next response may have one. */
const UNCHANGED_CACHING = "no-cache";

/** Creates the changes that a decision makes to a response. */
export function createOverride(
  preferences: Preferences,
  decision: Decision,
  random: RandomSource,
): PageOverride {
  const { faults } = decision;
  const applied = listCertain(decision);
  let grown: OptionName[] = [];
  return {
    async changeEnvelope(envelope) {
      const changed = await changePage(envelope, faults, random);
      applied.push(...changed.applied);
      grown = ["grow"];
      return changed.envelope;
    },
    changeHeaders(headers, hasBody) {
      const body = hasBody ? faults.body : undefined;
      const all: OptionName[] = body ? [...applied, "body"] : applied;
      changeCaching(headers, all.length > 0);
      announce(headers, preferences, [...all, ...listLimits(all), ...grown]);
      for (const [name, value] of Object.entries(body ? BODY_FAULT_HEADERS[body] : {}))
        headers.set(name, value);
    },
  };
}

/** The options that take effect on any response. A fault of a page does if the page could be changed. */
function listCertain({ delayMs, status }: Decision): OptionName[] {
  const names: OptionName[] = [];
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

function changeCaching(headers: Headers, isFaulty: boolean): void {
  if (isFaulty) headers.delete("ETag");
  if (headers.get("Cache-Control") === ERROR_CACHING) return;
  headers.set("Cache-Control", isFaulty ? ERROR_CACHING : UNCHANGED_CACHING);
}

/** The options that make a random choice. A delay does if it is a range. */
const RANDOM_OPTIONS: OptionName[] = ["fail", "rows", "record"];

/** Lists the options that were applied (RFC 7240, 3), and the preferences that are wrong. */
function announce(headers: Headers, { options, texts, warnings }: Preferences, applied: OptionName[]): void {
  const names = new Set(applied.filter((name) => texts.has(name)));
  const { delay } = options;
  const hasRange = names.has("delay") && delay?.min !== delay?.max;
  if (hasRange || RANDOM_OPTIONS.some((name) => names.has(name))) names.add("seed");
  const listed = OPTION_NAMES.filter((name) => names.has(name)).flatMap((name) => texts.get(name) ?? []);
  if (listed.length > 0) headers.set("Preference-Applied", listed.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}
