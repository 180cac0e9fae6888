import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { RULES } from "../../../tools/conformance/check.ts";
import { runInTerminal } from "../command-line/terminal.ts";
import { makeCollection, PATH, type Reply, service, setUpService, startService } from "./fake-service.ts";
import { checkQuickly, QUICK, rulesOf } from "./quick-check.ts";
import { runConformance } from "./run-conformance.ts";

const RECORDS = makeCollection(40);

setUpService(RECORDS);

function breakModel(name: string): void {
  service.records = RECORDS.with(17, { ...RECORDS[17]!, model_name: name as "tf1" });
}

describe("the exit status", () => {
  test("is 0, with one line for each rule, if no rule is broken", async () => {
    const { status, stdout, stderr } = await runConformance(service.origin);
    expect([status, stderr]).toEqual([0, ""]);
    for (const { reference } of RULES)
      expect(stdout).toMatch(new RegExp(`^ {2}(pass|not shown) +${reference}( |$)`, "m"));
    expect(stdout).toContain(`\n${service.origin}${PATH}: 3 pages, 40 of 40 records, 0 retries\n`);
    expect(stdout).toMatch(/\n\d+ pass, 0 fail, 0 not seen, \d+ not shown\n$/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(300);
  });

  test("is 1, with the evidence, if a rule is broken", async () => {
    breakModel("tf2");
    const { status, stdout } = await runConformance(service.origin);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ {2}fail +Record\.model_name +model_name: "tf1".*: broken 1 of 40 times$/m);
    expect(stdout).toMatch(/^ +\?format=api&page=2 record \d+: model_name is "tf2", not "tf1"$/m);
  });

  test("is 2 if the check ended early and no rule is broken", async () => {
    service.reply = (reply, { page }) =>
      page === "2" ? { ...reply, status: 429, headers: { "Retry-After": "86400" } } : reply;
    const { status, stdout } = await runConformance(service.origin);
    expect(status).toBe(2);
    expect(stdout).toMatch(
      /ended early: \S+page=2 returned 429 and asked to wait 86400 s, longer than the limit of 600 s\n$/,
    );
    expect(stdout).toMatch(
      /^ {2}not seen +Record 5 +Fields .* \(also covers Service 3\): no response shows it$/m,
    );
  });

  test.each<[string, Partial<Reply>, string]>([
    ["HTML", { body: "<!doctype html>", headers: { "Content-Type": "text/html" } }, "Content-Type"],
    ["not JSON", { body: "{" }, "body"],
    ["not an object", { body: "[]" }, "body"],
    ["always 500", { status: 500, body: "" }, "status"],
    ["an empty 204 response", { status: 204, body: "" }, "status"],
  ])("is 1 if every page is %s, and the report names the rule", async (_, changes, rule) => {
    service.reply = (reply, { method }) => (method === "GET" ? { ...reply, ...changes } : reply);
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toContain(`List records.${rule}`);
    expect(rulesOf(report, "pass")).toContain("Options.method");
    expect(report.stopped).toMatch(
      rule === "Content-Type" ? /--format json/ : /could not be read|is not a page of a collection/,
    );
  });

  test.each<[string, Partial<Reply>, RegExp]>([
    ["404", { status: 404, body: "{}" }, /page=1 returned 404\. Check the URL of the collection\./],
    ["401", { status: 401, body: "" }, /page=1 returned 401\. Check the URL of the collection\./],
    [
      "a redirect to another host",
      { status: 301, headers: { Location: "http://localhost:1/" } },
      /leads to another host/,
    ],
  ])("is 2 if the first page is %s", async (_, changes, message) => {
    service.reply = (reply) => ({ ...reply, ...changes });
    const { status, stdout, stderr } = await runConformance(service.origin);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  test.each([
    [["counts"], "It must be a URL"],
    [[], "missing required argument 'url'"],
    [
      ["http://localhost:1/api/tf1/records/?prefer=code=404&page=2"],
      "Remove prefer=code%3D404 from the URL. ",
    ],
    [["http://localhost:1/api/tf1/records/?format=json"], "Remove format=json from the URL. "],
    [["http://localhost:1", "--pages", "0"], "It must be a whole number, 1 or more."],
    [["http://localhost:1", "--concurrency", "99"], "It must be a whole number, 1 to 16."],
  ])("is 2 for the invalid arguments %j", async (args, message) => {
    const { status, stderr } = await runConformance(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("a service that does not respond is reported", () => {
  const WAITING = { retryPolicy: { ...QUICK, backoff: 60_000, maxBackoff: 60_000 } };

  test("immediately, if no server listens on the port", async () => {
    const closed = await startService();
    await closed.close();
    await expect(checkQuickly(closed.origin, WAITING)).rejects.toThrow(
      /page=1 could not be read \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)$/,
    );
  });

  test("immediately, if fetch does not allow the port", async () => {
    await expect(checkQuickly("http://localhost:1", WAITING)).rejects.toThrow(
      /page=1 could not be read \(bad port\)$/,
    );
  });

  test("immediately, if the URL has https but the service does not use TLS", async () => {
    const origin = service.origin.replace("http", "https");
    await expect(checkQuickly(origin, WAITING)).rejects.toThrow(/page=1 could not be read \(/);
  });

  test("after several attempts, if the service responded before", async () => {
    const failing = await startService();
    failing.reply = async (reply, { page }) => {
      if (page === "2") await failing.close();
      return reply;
    };
    const { stopped } = await checkQuickly(failing.origin);
    expect(stopped).toMatch(/page=2 could not be read \(.*ECONNREFUSED.*\); gave up after 4 attempts$/);
  });
});

test("the URL of a page is accepted as the URL of its collection", async () => {
  const { status, stdout } = await runConformance(
    `${service.origin}${PATH}?format=api&page=2`,
    "--read-only",
  );
  expect(status).toBe(0);
  expect(stdout).toContain(`\n${service.origin}${PATH}: 3 pages`);
});

test("--format json checks a service that returns HTML for format=api, as Django REST Framework does", async () => {
  service.reply = (reply, { target }) =>
    target.includes("format=json")
      ? { ...reply, body: String(reply.body).replaceAll("format=api", "format=json") }
      : { ...reply, headers: { ...reply.headers, "Content-Type": "text/html" }, body: "<html>" };
  const report = await checkQuickly(service.origin, { format: "json" });
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(report).toMatchObject({ pages: 3, records: 40, stopped: undefined });
});

test("--reference also checks rules that the specification does not define", async () => {
  const { status, stdout } = await runConformance(service.origin, "--reference");
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /^ {2}fail +Reference\.HEAD +HEAD is like GET, without a body: broken 1 of 1 time$/m,
  );
  expect(stdout).toMatch(/^ {2}pass +Reference\.past the end /m);
});

test("--json prints the report as JSON", async () => {
  breakModel("tf2");
  const { status, stdout } = await runConformance(
    service.origin,
    "--json",
    "--pages",
    "2",
    "--concurrency",
    "4",
  );
  expect(status).toBe(1);
  const { rules, ...rest } = JSON.parse(stdout);
  const url = service.origin + PATH;
  expect(rest).toEqual({
    url,
    count: 40,
    pages: 3,
    records: 40,
    growths: 0,
    retries: 0,
    stopped: null,
    verdicts: { pass: expect.any(Number), fail: 1, "not seen": 0, "not shown": expect.any(Number) },
  });
  expect(rules.map(({ rule }: { rule: string }) => rule)).toEqual(RULES.map(({ reference }) => reference));
  expect(rules).toContainEqual({
    rule: "Record.model_name",
    also: ["Versioning 1"],
    sentence: 'model_name: "tf1", the same as the path segment',
    verdict: "fail",
    kept: 39,
    broken: 1,
    evidence: [`${url}?format=api&page=2 record ${RECORDS[17]!.id}: model_name is "tf2", not "tf1"`],
  });
});

test("on a terminal a notice has its own line, and no progress bar remains at the end", async () => {
  service.records = makeCollection(150);
  service.reply = async (reply, { page, index }) => {
    await setTimeout(50); // Gives the bar time to appear.
    if (page !== "3" || index > 2) return reply;
    return { ...reply, status: 503, headers: { "Retry-After": "2" } };
  };
  const { lines, ...modes } = await runInTerminal(
    `NO_COLOR=1 ${process.execPath} tools/conformance/cli.ts ${service.origin} --read-only`,
  );
  expect(modes).toEqual({ cursorShown: true, wraps: true });
  const page = `${service.origin}${PATH}?format=api&page=3`;
  expect(lines.slice(0, 2)).toEqual([`${page} returned 503. Attempt 2 starts in 2 s.`, "Record"]);
});
