import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type CheckReport, checkConformance, createRules } from "../../../tools/conformance/check.ts";
import { createOwnService, makeCollection } from "./own-service.ts";
import { grow, RIGHT_SERVICES } from "./right-services.ts";
import { WRONG_SERVICES } from "./wrong-services.ts";

const URL = "http://counts.example/api/tf1/records/";
const QUICK = { backoff: 0, timeout: 1_000, onceTimeout: 50 };

const brokenRules = ({ rules }: CheckReport) => rules.filter(({ verdict }) => verdict === "fail");

describe.each(Object.entries(WRONG_SERVICES))("the first broken rule is %s if", (rule, services) => {
  test.each(Object.entries(services))("%s", async (_, change) => {
    const fetch = change(await createOwnService(makeCollection(100)));
    expect(brokenRules(await checkConformance(URL, { ...QUICK, fetch }))[0]?.rule).toBe(rule);
  });
});

test("there are at least 60 wrong services, and one for each rule that can be broken", () => {
  expect(Object.values(WRONG_SERVICES).flatMap(Object.keys).length).toBeGreaterThanOrEqual(60);
  const rules = createRules().map(({ name }) => name);
  const missing = rules.filter((name) => !Object.hasOwn(WRONG_SERVICES, name));
  expect(missing.toSorted()).toEqual(["List records 3", "Record 3"]);
});

describe("no rule is broken by a service", () => {
  test.each(Object.entries(RIGHT_SERVICES))("%s", async (_, { change, records = 200, options }) => {
    const service = await createOwnService(makeCollection(records));
    const fetch = change?.(service) ?? service.fetch;
    const report = await checkConformance(URL, { ...QUICK, ...options, fetch });
    expect(brokenRules(report)).toEqual([]);
    expect(report.stopped).toBeNull();
    const { verdict } = report.rules.find(({ rule }) => rule === "List records.Content-Type") ?? {};
    expect(verdict).toBe("pass");
  });
});

test("a collection that grows by a page with each request ends the check, and breaks no rule", async () => {
  const fetch = grow(1, () => 15, 900)(await createOwnService(makeCollection(1_000)));
  const report = await checkConformance(URL, { ...QUICK, fetch });
  expect(brokenRules(report)).toEqual([]);
  expect(report.stopped).toMatch(/10 pages in a row have no new record/);
});

test("pages that servers with different states contradict are counted", async () => {
  const { change } = RIGHT_SERVICES["with servers that have different states"] ?? {};
  const report = await checkConformance(URL, {
    ...QUICK,
    fetch: change!(await createOwnService(makeCollection(200))),
  });
  expect(report.rereads).toHaveLength(12);
  expect(report.rereads[0]).toMatch(/page=3: count is 199, but it was 200 before$/);
});

describe("docs/conformance.md explains", () => {
  const [, judged = "", open = ""] = readFileSync("docs/conformance.md", "utf8").split(
    /^## The rules$|^### What the specification leaves open$/m,
  );
  const documented = (text: string) => [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name);

  test("exactly the rules of the check", () =>
    expect(documented(judged).toSorted()).toEqual(
      createRules()
        .map(({ name }) => name)
        .toSorted(),
    ));

  test("what the report says about open questions", async () => {
    const { fetch } = await createOwnService(makeCollection(40));
    const report = await checkConformance(URL, { fetch });
    expect(Object.keys(report.open)).not.toEqual([]);
    for (const name of Object.keys(report.open)) expect(documented(open)).toContain(name);
  });
});
