import {
  type CheckOptions,
  type ConformanceReport,
  checkConformance,
} from "../../../tools/conformance/check.ts";
import { parseCollection } from "../../../tools/http-client/address.ts";
import { realClock } from "../../../tools/http-client/retry.ts";

/** Retries as the command does, but a thousand times as fast. */
export const QUICK = {
  attempts: 4,
  timeout: 2_000,
  backoff: 1,
  longestBackoff: 30,
  longestRetryAfter: 60_000,
};

/** Checks a service, one request at a time unless the options say otherwise. */
export function checkQuickly(url: string, options: Partial<CheckOptions> = {}): Promise<ConformanceReport> {
  const { signal } = new AbortController();
  const dependencies = { clock: realClock, patience: QUICK, signal, warn() {} };
  return checkConformance(parseCollection(url), {
    concurrency: 1,
    delay: 0,
    readOnly: false,
    ...dependencies,
    ...options,
  });
}

/** The rules that have this verdict. */
export function rulesOf({ rules }: ConformanceReport, verdict: string): string[] {
  return rules.filter((result) => result.verdict === verdict).map(({ rule }) => rule);
}

export function evidenceOf({ rules }: ConformanceReport, rule: string): string[] {
  return rules.find((result) => result.rule === rule)?.evidence ?? [];
}
