import { type Examination, type ExamineOptions, examine } from "../../../tools/conformance/examine.ts";
import { parseCollectionUrl } from "../../../tools/http-client/collection-url.ts";
import { realClock } from "../../../tools/http-client/retry.ts";

/** As patient as the real thing, but a thousand times as fast. */
export const QUICK = {
  attempts: 4,
  timeout: 2_000,
  backoff: 1,
  maxBackoff: 30,
  maxRetryAfter: 60_000,
};

/** Examines a service that is expected to answer. */
export function examineQuickly(url: string, options: Partial<ExamineOptions> = {}): Promise<Examination> {
  const { signal } = new AbortController();
  const surroundings = { clock: realClock, retryPolicy: QUICK, signal, warn() {} };
  return examine(parseCollectionUrl(url), {
    concurrency: 1,
    delay: 0,
    readOnly: false,
    ...surroundings,
    ...options,
  });
}

/** The rules with a verdict. */
export function rulesOf({ rules }: Examination, verdict: string): string[] {
  return rules.filter((judged) => judged.verdict === verdict).map(({ rule }) => rule);
}

export function evidenceOf({ rules }: Examination, rule: string): string[] {
  return rules.find((judged) => judged.rule === rule)?.evidence ?? [];
}
