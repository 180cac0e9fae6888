import type { Emit, Events } from "./events.ts";

/** Something was observed that should show whether the rule is kept, but does not. The text says why. */
interface Inconclusive {
  inconclusive: string;
}

/** The rule is broken, unless one of the other rules is, which then is the cause. */
interface Consequence {
  broken: string;
  unless: string[];
}

/**
 * What an event shows about a rule: nothing (undefined), that it is kept (true), how it is broken (a text), or that it
 * stays unknown. For a `notShown` rule, the text describes what the service does.
 */
export type Finding = undefined | true | string | Inconclusive | Consequence;

/** By kind of event, what an event shows. */
type Checks = { [K in keyof Events]?: (event: Events[K]) => Finding };

/** A rule of the specification and how events show whether it is kept. */
export interface Rule extends Checks {
  /** The heading and the number or item in the specification: `Record 4`, `List records.path`. */
  reference: string;
  /** Other places in the specification that say the same. */
  also?: string[];
  sentence: string;
  /** The specification says nothing about this, so it cannot be broken. What the service does is reported. */
  notShown?: true;
}

/** Creates a rule for something that the specification does not show. */
export function createNotShownRule(reference: string, sentence: string, checks: Checks = {}): Rule {
  return { reference, sentence, notShown: true, ...checks };
}

/** `not seen`: nothing was observed that shows it. `not shown`: the specification says nothing about it. */
export type Verdict = "pass" | "fail" | "not seen" | "not shown";

/** Part of the JSON report, so the names of the properties are public. */
export interface RuleResult {
  rule: string;
  also: string[];
  sentence: string;
  verdict: Verdict;
  /** How many events show that the rule is kept. */
  kept: number;
  /** How many events break the rule. */
  broken: number;
  /** The first few events that decide the verdict: the URL, the part of the response, and what is wrong with it. */
  evidence: string[];
}

const MAX_EVIDENCE = 3;

/** What the events so far show about a rule. */
interface Findings {
  kept: number;
  firstKept: string | undefined;
  broken: number;
  /** How the rule is broken; for a `notShown` rule, what the service does. */
  descriptions: Set<string>;
  inconclusive: Set<string>;
  /** How the rule is broken if no rule of `unless` is. */
  consequences: { count: number; descriptions: Set<string>; unless: Set<string> };
}

/** Applies rules to events. Of the events, it keeps only the evidence. */
export function createResults(rules: Rule[]): { emit: Emit; list(): RuleResult[] } {
  const all = rules.map((rule) => ({ rule, findings: createFindings() }));
  return {
    emit(kind, event) {
      for (const { rule, findings } of all) addFinding(findings, rule, applyRule(rule, kind, event), event);
    },
    list() {
      const broken = all.filter(({ findings }) => findings.broken > 0).map(({ rule }) => rule.reference);
      return all.map(({ rule, findings }) => formResult(rule, settleConsequences(findings, broken)));
    },
  };
}

function applyRule<K extends keyof Events>(checks: Checks, kind: K, event: Events[K]): Finding {
  return checks[kind]?.(event);
}

function createFindings(): Findings {
  return {
    kept: 0,
    firstKept: undefined,
    broken: 0,
    descriptions: new Set(),
    inconclusive: new Set(),
    consequences: { count: 0, descriptions: new Set(), unless: new Set() },
  };
}

function addFinding(findings: Findings, rule: Rule, finding: Finding, event: Events[keyof Events]): void {
  if (finding === undefined) return;
  const location = event.subject === undefined ? event.url : `${event.url} ${event.subject}`;
  if (finding === true) {
    findings.kept += 1;
    findings.firstKept ??= location;
  } else if (typeof finding === "string") {
    findings.broken += 1;
    addEvidence(findings.descriptions, rule.notShown ? finding : `${location}: ${finding}`);
  } else if ("broken" in finding) {
    const { consequences } = findings;
    consequences.count += 1;
    for (const cause of finding.unless) consequences.unless.add(cause);
    addEvidence(consequences.descriptions, `${location}: ${finding.broken}`);
  } else {
    addEvidence(findings.inconclusive, `${location}: ${finding.inconclusive}`);
  }
}

/** Decides whether consequences count, now that the rules that are certainly broken are known. */
function settleConsequences(findings: Findings, brokenRules: string[]): Findings {
  const { count, descriptions, unless } = findings.consequences;
  if (count === 0) return findings;
  const cause = brokenRules.find((rule) => unless.has(rule));
  if (cause === undefined) {
    const all = [...findings.descriptions, ...descriptions].slice(0, MAX_EVIDENCE);
    return { ...findings, broken: findings.broken + count, descriptions: new Set(all) };
  }
  const explained = [...descriptions].map((text) => `${text}, which follows from ${cause}`);
  return { ...findings, inconclusive: new Set([...findings.inconclusive, ...explained]) };
}

function addEvidence(evidence: Set<string>, text: string): void {
  if (evidence.size < MAX_EVIDENCE) evidence.add(text);
}

function formResult(rule: Rule, findings: Findings): RuleResult {
  const { reference, also = [], sentence } = rule;
  const { kept, broken, firstKept, descriptions, inconclusive } = findings;
  const common = { rule: reference, also, sentence };
  if (rule.notShown) {
    return { ...common, verdict: "not shown", kept: 0, broken: 0, evidence: [...descriptions] };
  }
  if (broken > 0) return { ...common, verdict: "fail", kept, broken, evidence: [...descriptions] };
  if (firstKept === undefined || inconclusive.size > 0)
    return { ...common, verdict: "not seen", kept, broken, evidence: [...inconclusive] };
  return { ...common, verdict: "pass", kept, broken, evidence: [firstKept] };
}
