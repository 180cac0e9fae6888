import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RULES } from "../../../tools/conformance/rules.ts";
import { runScript } from "../../processes.ts";
import { examineQuickly, QUICK } from "./examination.ts";
import { makeCollection, PATH, type Reply, type Service, startService } from "./service.ts";

const RECORDS = makeCollection(40);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

const run = (...args: string[]) => runScript("conformance", args);

function breakModel(name: string): void {
  service.records = RECORDS.with(17, { ...RECORDS[17]!, model_name: name as "tf1" });
}

describe("the exit status", () => {
  test("is 0, with a line a rule, if no rule is broken", async () => {
    const { status, stdout, stderr } = await run(service.origin);
    expect([status, stderr]).toEqual([0, ""]);
    for (const { place } of RULES)
      expect(stdout).toMatch(new RegExp(`^ {2}(pass|not shown) +${place}( |$)`, "m"));
    expect(stdout).toContain(`\n${service.origin}${PATH}: 3 pages, 40 of 40 records, 0 retries\n`);
    expect(stdout).toMatch(/\n\d+ pass, 0 fail, 0 not seen, 12 not shown\n$/);
  });

  test("is 1, with the evidence, if one is", async () => {
    breakModel("tf2");
    const { status, stdout } = await run(service.origin);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ {2}fail +Record\.model_name +broken 1 of 40 times: model_name: "tf1"/m);
    expect(stdout).toMatch(/^ +\?format=api&page=2 record \d+: model_name is "tf2", not "tf1"$/m);
  });

  test("is 2 if the examination ended early, and no rule is broken", async () => {
    service.reply = (reply, { page }) =>
      page === "2" ? { ...reply, status: 503, headers: { "Retry-After": "86400" } } : reply;
    const { status, stdout } = await run(service.origin);
    expect(status).toBe(2);
    expect(stdout).toMatch(
      /ended early: \S+page=2 returned 503 and asked to wait 86400 s, longer than the limit of 600 s\n$/,
    );
    expect(stdout).toMatch(/^ {2}not seen +Record 5 +\(also Service 3\)$/m);
  });

  test.each<[string, Partial<Reply>, RegExp]>([
    [
      "HTML",
      { body: "<!doctype html>", headers: { "Content-Type": "text/html" } },
      /\(text\/html\).*is not JSON/,
    ],
    ["no JSON", { body: "{" }, /is no page of a collection .*the body is not JSON: "\{"/],
    ["no object", { body: "[]" }, /the body is not a JSON object/],
    ["404", { status: 404 }, /page=1 answered 404: there is no collection/],
    ["another host", { status: 301, headers: { Location: "http://localhost:1/" } }, /leads to another host/],
  ])("is 2 if the first page is %s", async (_, changes, message) => {
    service.reply = (reply) => ({ ...reply, ...changes });
    const { status, stdout, stderr } = await run(service.origin);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  test.each([
    [["counts"], "It must be a URL"],
    [[], "missing required argument 'url'"],
    [["http://localhost:1/api/tf1/records/?prefer=code=404&page=2"], "Leave out prefer=code%3D404: "],
    [["http://localhost:1/api/tf1/records/?format=json"], "Leave out format=json: "],
    [["http://localhost:1", "--pages", "0"], "It must be a whole number, 1 or more."],
    [["http://localhost:1", "--concurrency", "99"], "It must be a whole number, 1 to 16."],
  ])("is 2 for the wrong arguments %j", async (args, message) => {
    const { status, stderr } = await run(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("nobody there is an error that says so", () => {
  const WAITING = { retryPolicy: { ...QUICK, backoff: 60_000, maxBackoff: 60_000 } };

  test("at once, if nothing listens", async () => {
    await service.close();
    await expect(examineQuickly(service.origin, WAITING)).rejects.toThrow(
      /page=1 could not be read \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)$/,
    );
    service = await startService();
  });

  test("at once, if no server could be there", async () => {
    await expect(examineQuickly("http://localhost:1", WAITING)).rejects.toThrow(
      /page=1 could not be read \(bad port\)$/,
    );
  });

  test("at once, if it does not speak TLS", async () => {
    const origin = service.origin.replace("http", "https");
    await expect(examineQuickly(origin, WAITING)).rejects.toThrow(/page=1 could not be read \(/);
  });

  test("after some attempts, if it was there before", async () => {
    service.reply = async (reply, { page }) => {
      if (page === "2") await service.close();
      return reply;
    };
    const { stopped } = await examineQuickly(service.origin);
    expect(stopped).toMatch(/page=2 could not be read \(.*ECONNREFUSED.*\); gave up after 4 attempts$/);
    service = await startService();
  });
});

test("the address of a page, as links have it, is that of its collection", async () => {
  const { status, stdout } = await run(`${service.origin}${PATH}?format=api&page=2`, "--read-only");
  expect(status).toBe(0);
  expect(stdout).toContain(`\n${service.origin}${PATH}: 3 pages`);
});

test("--json prints the same as JSON", async () => {
  breakModel("tf2");
  const { status, stdout } = await run(service.origin, "--json", "--pages", "2", "--concurrency", "4");
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
    verdicts: { pass: expect.any(Number), fail: 1, "not seen": 0, "not shown": 12 },
  });
  expect(rules.map(({ rule }: { rule: string }) => rule)).toEqual(RULES.map(({ place }) => place));
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
