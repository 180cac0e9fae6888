import type { Observations, Observe } from "./observation.ts";
import type { Checks, Finding, Rule } from "./rule.ts";

/** `not seen`: what was observed does not show it. `not shown`: the specification says nothing. */
export type Verdict = "pass" | "fail" | "not seen" | "not shown";

export interface Judged {
  rule: string;
  also: string[];
  sentence: string;
  verdict: Verdict;
  /** Observations that show that the rule holds. */
  kept: number;
  /** Observations that break it. */
  broken: number;
  /** The first few that decide: the URL, what in its answer, and what about it. */
  evidence: string[];
}

const MOST_EVIDENCE = 3;

/** What has been found about a rule. */
interface Found {
  kept: number;
  /** Where it first held. */
  keptAt: string | undefined;
  broken: number;
  told: Set<string>;
  /** Why it stays open. */
  open: Set<string>;
}

/** Judges by rules whatever is observed, and keeps no more of it than the evidence. */
export function createTally(rules: Rule[]): { observe: Observe; judge(): Judged[] } {
  const all = rules.map((rule) => ({
    rule,
    found: { kept: 0, keptAt: undefined, broken: 0, told: new Set(), open: new Set() } as Found,
  }));
  return {
    observe(kind, seen) {
      for (const { rule, found } of all) note(found, findOut(rule, kind, seen), seen, rule.notShown);
    },
    judge: () => all.map(({ rule, found }) => judge(rule, found)),
  };
}

function findOut<K extends keyof Observations>(checks: Checks, kind: K, seen: Observations[K]): Finding {
  return checks[kind]?.(seen);
}

function note(
  found: Found,
  finding: Finding,
  seen: Observations[keyof Observations],
  notShown = false,
): void {
  if (finding === undefined) return;
  if (finding === true) {
    found.kept += 1;
    found.keptAt ??= placeOf(seen);
    return;
  }
  if (typeof finding !== "string") {
    tell(found.open, `${placeOf(seen)}: ${finding.open}`);
    return;
  }
  found.broken += 1;
  tell(found.told, notShown ? finding : `${placeOf(seen)}: ${finding}`);
}

function tell(evidence: Set<string>, text: string): void {
  if (evidence.size < MOST_EVIDENCE) evidence.add(text);
}

function placeOf({ url, name }: Observations[keyof Observations]): string {
  return name === undefined ? url : `${url} ${name}`;
}

function judge(rule: Rule, found: Found): Judged {
  const { place, also = [], sentence } = rule;
  const { kept, broken, keptAt, told, open } = found;
  const common = { rule: place, also, sentence };
  if (rule.notShown) {
    return { ...common, verdict: "not shown", kept: 0, broken: 0, evidence: [...told] };
  }
  if (broken > 0) return { ...common, verdict: "fail", kept, broken, evidence: [...told] };
  if (keptAt === undefined || open.size > 0)
    return { ...common, verdict: "not seen", kept, broken, evidence: [...open] };
  return { ...common, verdict: "pass", kept, broken, evidence: [keptAt] };
}
