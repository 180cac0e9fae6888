import { createServer } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCheckCommand, INCOMPLETE } from "../../../tools/conformance/check-command.ts";
import { listen } from "../../listen.ts";
import { type Finished, runInProcess } from "../../run-command.ts";
import { type Change, count, invalidPage, page, pageOf, record, status } from "./changes.ts";
import { createOwnService, makeCollection } from "./own-service.ts";

const URL = "http://counts.example/api/tf1/records/";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Runs `npm run conformance -- ...` in this process. Requests go to our own service, with 40 records, or to a change of it. */
async function runCheck(args: string[], change?: Change, stop = new AbortController()): Promise<Finished> {
  const service = await createOwnService(makeCollection(40));
  vi.stubGlobal("fetch", change?.(service) ?? service.fetch);
  return runInProcess(createCheckCommand("npm run conformance --", stop.signal), args, {
    errorStatus: INCOMPLETE,
  });
}

describe("the report", () => {
  test("is one line if no rule is broken", async () => {
    const { status, stdout, stderr } = await runCheck(["http://counts.example"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\d+ pass, 0 fail, 0 not seen: \S+, 3 pages, 40 of 40 records, .*\n$/);
  });

  test("begins with the broken rules, and shows where they are broken", async () => {
    const { status, stdout } = await runCheck([URL], record({ cars: -1, persons: null }));
    expect(status).toBe(1);
    expect(stdout.split("\n").slice(0, -2)).toEqual([
      "fail      Record.cars: cars is an integer, 0 or greater (broken 1 of 40 times)",
      "          ?format=api&page=2 record 3: cars is -1, not an integer, 0 or greater",
      "fail      Record.persons: persons is an integer, 0 or greater (broken 1 of 40 times)",
      "          ?format=api&page=2 record 3: persons is null, not an integer, 0 or greater",
    ]);
    expect(stdout).toMatch(/\n\d+ pass, 2 fail, 0 not seen: .*\n$/);
  });

  test("shows three places at most, and no control characters of the service", async () => {
    const { stdout } = await runCheck(
      [URL],
      count((number) => `\u001B[31m\u009B${number}`),
    );
    expect(stdout.match(/page=\d: count is .*$/gm)).toEqual(
      [1, 2, 3].map((n) => `page=${n}: count is "\\u001b[31m\\u009b${n}", not an integer up to 2^53`),
    );
  });

  test("shows with --all every rule, and what the specification leaves open", async () => {
    const { stdout } = await runCheck([URL, "--all"], page(invalidPage, "3"));
    expect(stdout).toMatch(/^fail {6}Page envelope\.count: .*\n(.*\n)*pass {6}Record 5: /);
    expect(stdout).toMatch(
      /^open {6}Errors: page=0 returned 404, POST returned 405, .*, DELETE returned 405$/m,
    );
    expect(stdout).toMatch(/^open {6}Page envelope 3: previous on page 1 is null, .*last one returned 404$/m);
  });

  test("is JSON with --json", async () => {
    const { status, stdout } = await runCheck([URL, "--json"], record({ model_name: "tf2" }));
    expect(status).toBe(1);
    const { rules, open, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({
      url: URL,
      count: 40,
      pages: 3,
      records: 40,
      growths: 0,
      rereads: 0,
      retries: 0,
      stopped: null,
      verdicts: { pass: rules.length - 1, fail: 1, "not seen": 0 },
    });
    expect(rules.find(({ rule }: { rule: string }) => rule === "Record.model_name")).toEqual({
      rule: "Record.model_name",
      sentence: 'model_name is "tf1"',
      verdict: "fail",
      kept: 39,
      broken: 1,
      evidence: [`${URL}?format=api&page=2 record 3: model_name is "tf2", not "tf1"`],
    });
    expect(Object.keys(open)).toContain("Errors");
  });
});

describe("the exit status is 2, and the reason is shown,", () => {
  test("if there is no collection", async () => {
    const { status, stdout, stderr } = await runCheck(["http://counts.example/other"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/page=1 returned 404\. Check the URL of the collection\.\n$/);
  });

  test("if no server listens", async () => {
    const { origin, close } = await listen(createServer());
    await close();
    const { fetch } = globalThis;
    const { status, stdout, stderr } = await runCheck([origin], () => fetch);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/page=1 could not be read \(connect ECONNREFUSED .*\)\.\n$/);
  });

  test("if the service redirects to another host or scheme", async () => {
    const redirect = page(status(301, { Location: "https://counts.example/api/tf1/records/?page=1" }));
    const { status: exit, stderr } = await runCheck([URL], redirect);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/redirects to https:\/\/counts\.example\. Check/),
    ]);
  });

  test("with the results so far, if the check is interrupted", async () => {
    const stop = new AbortController();
    const interrupt: Change =
      ({ fetch }) =>
      async (request) => {
        if (pageOf(request) === "3") stop.abort(new Error("interrupted by SIGINT"));
        stop.signal.throwIfAborted();
        return fetch(request);
      };
    const { status, stdout } = await runCheck([URL], interrupt, stop);
    expect(status).toBe(2);
    expect(stdout).toMatch(
      /^The check ended early: interrupted by SIGINT\n\d+ pass, 0 fail, .*, 2 pages, 30 of 40/,
    );
  });

  test.each([
    [["counts"], "It must be a URL such as https://counts.example."],
    [["ftp://counts.example"], "It must be a URL such as https://counts.example."],
    [["http://me:secret@counts.example"], "It must not have a user name, a password or a fragment."],
    [[`${URL}?prefer=code=404&page=2`], "Remove the query ?prefer=code=404&page=2. "],
    [[URL, "--pages", "0"], "It must be a whole number, 1 or more."],
    [[URL, "--concurrency", "99"], "It must be a whole number, 1 to 16."],
    [[URL, "--base-url", "/"], "It must be a URL such as https://counts.example."],
  ])("for the arguments %j", async (args, message) => {
    const { status, stderr } = await runCheck(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test.each(["http://counts.example/", "http://counts.example/api/tf1/records", `${URL}?format=api&page=2`])(
  "%s is accepted as the URL of the collection",
  async (url) => {
    expect((await runCheck([url, "--read-only"])).stdout).toContain(`: ${URL}, 3 pages`);
  },
);

describe("requests", () => {
  async function listRequests(args: string[]): Promise<string[]> {
    const requests: string[] = [];
    const service = await createOwnService(makeCollection(200));
    const log: Change = () => (request) => {
      requests.push(`${request.method} ${pageOf(request)}`);
      return service.fetch(request);
    };
    await runCheck([URL, ...args], log);
    return requests;
  }

  test.each(["1", "8"])(
    "are for the first pages, the middle one and the last one with --pages, %s at a time",
    async (n) => {
      const pages = (await listRequests(["--pages", "2", "--concurrency", n])).slice(0, 6);
      expect(pages).toEqual(["GET 1", "GET 2", "GET 7", "GET 14", "GET 15", "GET 1"]);
    },
  );

  test("do not write with --read-only; otherwise each method is tried with JSON and with a form", async () => {
    const count = (requests: string[]) =>
      requests.filter((one) => /^(POST|PUT|PATCH|DELETE)/.test(one)).length;
    expect(count(await listRequests(["--read-only"]))).toBe(0);
    expect(count(await listRequests([]))).toBe(8);
  });
});
