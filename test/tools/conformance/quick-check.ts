import {
  type CheckOptions,
  type ConformanceReport,
  checkConformance,
} from "../../../tools/conformance/check.ts";
import { parseCollectionUrl } from "../../../tools/http-client/collection-url.ts";
import { realClock } from "../../../tools/http-client/retry.ts";

/** The retry policy of the command, but a thousand times as fast. */
export const QUICK = {
  attempts: 4,
  timeout: 2_000,
  backoff: 1,
  maxBackoff: 30,
  maxRetryAfter: 60_000,
};

/** Checks a service, one request at a time unless the options say otherwise. */
export function checkQuickly(url: string, options: Partial<CheckOptions> = {}): Promise<ConformanceReport> {
  const { signal } = new AbortController();
  const dependencies = { clock: realClock, retryPolicy: QUICK, signal, warn() {} };
  return checkConformance(parseCollectionUrl(url), {
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
