import type { Fields, PageResponse } from "./page-response.ts";
import type { Reply } from "./retrying-client.ts";

/** A record, in the order of the walk. */
export interface SeenRecord {
  /** Its number on the page, from 1. */
  number: number;
  fields: Fields;
  /** The record before it. */
  previous: Fields | undefined;
  /** An earlier record has the same id, so it may be the same record. */
  isRepeated: boolean;
}

/** A response that is not part of the walk. */
export interface ExtraResponse extends Reply {
  purpose: "page 0" | "no page" | "options" | "write";
  /** What is wrong with this page, or with other pages after a write. */
  problem?: string | undefined;
  /** Why it is unknown whether a write changed something. */
  unclear?: string | undefined;
  /** The response to a request without page number, if it is page 1. */
  page?: PageResponse;
}

/** What a check sees, by kind. */
interface Seen {
  /** A page that should exist. */
  page: PageResponse;
  record: SeenRecord;
  response: ExtraResponse;
  /** The last count of a walk, and the number of records that its pages show. */
  total: { count: number; total: number };
}

/** What something shows about a rule: it is kept (true), it is broken (a text says how), or it is unclear. */
export type Finding = true | string | { unclear: string } | undefined;

/** What a rule requires of each kind of thing. */
type Checks = { [Kind in keyof Seen]?: (seen: Seen[Kind]) => Finding };

/** A rule of the specification, with its name in docs/conformance.md. */
export interface Rule extends Checks {
  name: string;
  sentence: string;
}

export function createRule(name: string, sentence: string, checks: Checks): Rule {
  return { name, sentence, ...checks };
}

/** Part of the JSON report, so the names of the properties are public. */
export interface RuleResult {
  rule: string;
  sentence: string;
  /** `not seen`: nothing shows whether the rule is kept, or it is unclear. */
  verdict: "pass" | "fail" | "not seen";
  /** How many times it was kept. */
  kept: number;
  /** How many times it was broken. */
  broken: number;
  /** Where and how it was broken, or why it is unclear, the first few times. */
  evidence: string[];
}

/** Applies rules to what a check sees, and keeps the results. */
export function createJudge(rules: Rule[]) {
  const none: string[] = [];
  const results = rules.map((rule) => ({
    rule,
    kept: 0,
    broken: 0,
    problems: [...none],
    unclear: [...none],
  }));
  return {
    /** @param where the URL and the part of the response, for the evidence */
    judge<Kind extends keyof Seen>(kind: Kind, seen: Seen[Kind], where: string): void {
      for (const result of results) {
        const checks: Checks = result.rule;
        const finding = checks[kind]?.(seen);
        if (finding === true) result.kept += 1;
        if (typeof finding === "object") result.unclear.push(`${where}: ${finding.unclear}`);
        if (typeof finding !== "string") continue;
        result.broken += 1;
        if (result.broken <= 3) result.problems.push(`${where}: ${finding}`);
      }
    },
    list: (): RuleResult[] =>
      results.map(({ rule: { name, sentence }, kept, broken, problems, unclear }) => {
        const isPassed = kept > 0 && unclear.length === 0;
        const verdict = broken > 0 ? "fail" : isPassed ? "pass" : "not seen";
        return { rule: name, sentence, verdict, kept, broken, evidence: broken > 0 ? problems : unclear };
      }),
  };
}
