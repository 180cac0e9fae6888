import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type CheckReport, checkConformance } from "../../../tools/conformance/check.ts";
import { RULES } from "../../../tools/conformance/rules.ts";
import type { CheckOptions } from "../../../tools/conformance/walk.ts";
import type { Change } from "./changes.ts";
import { createOwnService, makeCollection } from "./own-service.ts";
import { RIGHT_SERVICES } from "./right-services.ts";
import { CHANGING_SERVICES, WRONG_SERVICES } from "./wrong-services.ts";

afterEach(() => void vi.unstubAllGlobals());

/** Checks a change of our own service. */
async function check(count: number, change?: Change, options?: CheckOptions): Promise<CheckReport> {
  const service = await createOwnService(makeCollection(count));
  vi.stubGlobal("fetch", change?.(service) ?? service.fetch);
  return checkConformance("http://counts.example/api/tf1/records/", { second: 2, ...options });
}

const brokenRules = ({ rules }: CheckReport) => rules.filter(({ verdict }) => verdict === "fail");

describe.each(Object.entries(WRONG_SERVICES))("the first broken rule is %s if", (rule, services) => {
  test.each(Object.entries(services))("%s", async (_, change) => {
    const report = await check(100, change);
    expect([brokenRules(report)[0]?.rule, report.stopped]).toEqual([rule, null]);
  });
});

test("there are at least 60 wrong services, and one for each rule", () => {
  expect(Object.values(WRONG_SERVICES).flatMap(Object.keys).length).toBeGreaterThanOrEqual(60);
  expect(Object.keys(WRONG_SERVICES).toSorted()).toEqual(Object.keys(RULES).toSorted());
});

describe("no rule is broken by a service", () => {
  test.each([0, 1, 15, 16, 200])("with %i records", async (count) => {
    const report = await check(count);
    expect([brokenRules(report), report.stopped, report.records]).toEqual([[], null, count]);
  });

  test.each(Object.entries(RIGHT_SERVICES))("%s", async (_, service) => {
    const [change, options] = [service].flat() as [Change, CheckOptions?];
    const report = await check(200, change, options);
    expect([brokenRules(report), report.stopped]).toEqual([[], null]);
    expect(options?.pages ?? report.records).toBe(options?.pages ?? report.count);
  });
});

test.each(Object.entries(CHANGING_SERVICES))("the check fails or stops if %s", async (_, [change, rule]) => {
  const report = await check(200, change);
  expect(brokenRules(report)[0]?.rule).toBe(rule);
  if (rule === undefined) expect(report.stopped).toMatch(/^The collection changes faster than/);
});

test("docs/conformance.md explains exactly the rules of the check", () => {
  const [, rules = ""] = readFileSync("docs/conformance.md", "utf8").split(/^## The rules$/m);
  const documented = [...rules.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name);
  expect(documented.toSorted()).toEqual(Object.keys(RULES).toSorted());
});
