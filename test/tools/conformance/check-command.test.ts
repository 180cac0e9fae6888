import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCheckCommand, INCOMPLETE_STATUS } from "../../../tools/conformance/check-command.ts";
import { listen } from "../../../tools/package/listen.ts";
import { listenOnFreePort } from "../../free-port.ts";
import { createMemoryService } from "../../memory-service.ts";
import { makeRecords } from "../../records/sample.ts";
import {
  type Finished,
  finish,
  removeProgress,
  runInProcess,
  runProcess,
} from "../command-line/run-command.ts";
import {
  type Change,
  change,
  count,
  getPageNumber,
  page,
  record,
  status,
  stubService,
} from "./changed-service.ts";

const ADDRESS = "http://counts.example/api/tf1/records/";

afterEach(() => void vi.unstubAllGlobals());

/** Runs `npm run conformance -- ...` in this process, for our own service or a change of it. */
async function runCheck(args: string[], change?: Change, records = 40): Promise<Finished> {
  await stubService(records, change);
  const program = createCheckCommand("npm run conformance --", new AbortController().signal);
  const finished = await runInProcess(program, args, { errorStatus: INCOMPLETE_STATUS });
  return { ...finished, stderr: removeProgress(finished.stderr) };
}

describe("the report", () => {
  test("is one line if no rule is broken", async () => {
    const { status, stdout, stderr } = await runCheck(["http://counts.example"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\d+ pass, 0 fail, 0 untested: \S+, 3 pages, 40 of 40 records, 0 retries\n$/);
  });

  test("shows where rules are broken, and lists the untested rules", async () => {
    const { status, stdout } = await runCheck([ADDRESS, "--read-only"], record({ cars: -1, persons: null }));
    expect(status).toBe(1);
    expect(stdout.split("\n").slice(0, -2)).toEqual([
      "fail      Record.cars: cars is an integer, 0 or greater (failed 1 of 40 times)",
      "          ?format=api&page=2 record 3: cars is -1",
      "fail      Record.persons: persons is an integer, 0 or greater (failed 1 of 40 times)",
      "          ?format=api&page=2 record 3: persons is null",
      "untested  Record 5",
    ]);
    expect(stdout).toMatch(/\n\d+ pass, 2 fail, 1 untested: .*\n$/);
  });

  test("gives the reason if a rule is unclear", async () => {
    const fail = change((response, { method }) => (method === "PUT" ? status(500)(response) : response));
    const { status: exit, stdout } = await runCheck([ADDRESS], fail);
    expect([exit, stdout]).toEqual([
      0,
      expect.stringMatching(/^untested {2}Record 5: .*\n.* PUT: returned 500\n/),
    ]);
  });

  test("shows at most three places, and escapes control characters", async () => {
    const { stdout } = await runCheck(
      [ADDRESS],
      count((number) => `\u001B[31m\u009B${number}`),
      90,
    );
    expect(stdout.match(/page=\d: count is .*$/gm)).toEqual(
      [1, 2, 3].map((n) => `page=${n}: count is "\\u001b[31m\\u009b${n}"`),
    );
  });

  test("covers all pages if count is invalid", async () => {
    const { stdout } = await runCheck(
      [ADDRESS],
      count(() => "many"),
      200,
    );
    expect(stdout).toMatch(/, 14 pages, 200 records, /);
  });

  test("is JSON with --json", async () => {
    const { status, stdout } = await runCheck([ADDRESS, "--json"], record({ model_name: "tf2" }));
    expect(status).toBe(1);
    const { rules, ...rest } = JSON.parse(stdout);
    const verdicts = { pass: rules.length - 1, fail: 1, untested: 0 };
    expect(rest).toEqual({
      url: ADDRESS,
      count: 40,
      pages: 3,
      records: 40,
      retries: 0,
      stopped: null,
      verdicts,
    });
    expect(rules.find(({ rule }: { rule: string }) => rule === "Record.model_name")).toEqual({
      rule: "Record.model_name",
      description: 'model_name is "tf1"',
      verdict: "fail",
      passed: 39,
      failed: 1,
      evidence: [`${ADDRESS}?format=api&page=2 record 3: model_name is "tf2"`],
    });
  });
});

describe("the exit status is 2, and the reason is shown,", () => {
  test("if no server listens", async () => {
    const { origin, close } = await listenOnFreePort(createServer());
    await close();
    const { fetch } = globalThis;
    const { status, stdout, stderr } = await runCheck([origin], () => fetch);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/page=1 could not be read \(connect ECONNREFUSED .*\)\.\n$/);
  });

  const redirect = (Location: string) => status(301, { Location });
  test.each([
    ["there is no collection", status(404), /page=1 returned 404\. Check the URL of the collection\.\n$/],
    [
      "the service redirects to a different host",
      redirect("//login.example/?next=records"),
      /page=1 redirects to http:\/\/login\.example\. Check the service there\.\n$/,
    ],
  ])("if %s", async (_, alter, message) => {
    const { status, stdout, stderr } = await runCheck([ADDRESS], page(alter));
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
  });

  test.each([
    [["ftp://counts.example"], "It must be a URL such as https://counts.example."],
    [["http://:secret@counts.example"], "It must not have a user, a password, a query or a fragment."],
    [["http://counts.example#newest"], "It must not have a user, a password, a query or a fragment."],
    [[`${ADDRESS}?prefer=code=404`], "It must not have a user, a password, a query or a fragment."],
    [[ADDRESS, "--pages", "0"], "It must be a whole number, 1 or more."],
    [[ADDRESS, "--concurrency", "99"], "It must be a whole number, 1 to 16."],
  ])("for the arguments %j", async (args, message) => {
    const { status, stderr } = await runCheck(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test.each(["http://counts.example/", "http://counts.example/api/tf1/records"])(
  "%s is accepted as the URL of the collection",
  async (url) => {
    const { stdout } = await runCheck([url]);
    expect(stdout).toMatch(/ 0 fail, 0 untested: http:\/\/counts\.example\/api\/tf1\/records\/, 3 pages/);
  },
);

test.each([
  ["1", ["POST", "PUT", "PATCH", "DELETE"], []],
  ["8", [], ["--read-only"]],
])(
  "with --pages, %s requests at a time are for the first pages, the middle page and the last page",
  async (n, writes, options) => {
    const requests: Request[] = [];
    const log = change((response, request) => {
      requests.push(request);
      return response;
    });
    await runCheck([ADDRESS, "--pages", "2", "--concurrency", n, ...options], log, 200);
    expect(requests.slice(0, 5).map(getPageNumber)).toEqual(["1", "2", "7", "14", "15"]);
    const methods = requests.map(({ method }) => method);
    expect(methods.filter((method) => !["GET", "OPTIONS"].includes(method))).toEqual(writes);
  },
);

test("a signal ends the check, and the report covers the responses until then", async () => {
  const server = createServer((request, response) => {
    if (request.url?.endsWith("page=2")) child.kill("SIGINT");
    else response.end('{"count":30,"next":null,"previous":null,"results":[{"id":1}]}');
  });
  const { origin, close } = await listenOnFreePort(server);
  const child = spawn(process.execPath, ["tools/conformance/check-command.ts", origin], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { status, stdout } = await finish(child);
  await close();
  expect(status).toBe(130);
  expect(stdout).toMatch(
    /^fail .*\n(.*\n)*The check ended early: interrupted by SIGINT\n\d+ pass, .*, 1 page, 1 of 30/,
  );
});

test("requests go through the proxy in HTTP_PROXY, except for local addresses", async () => {
  const { fetch } = await createMemoryService(makeRecords(20));
  const service = await listen((request) => fetch(request.url, request), { port: 0 });
  const targets: (string | undefined)[] = [];
  const tunnel = createServer().on("connect", ({ url }, client) => {
    targets.push(url);
    const upstream = connect(Number(new URL(service.url).port), "localhost");
    client.write("HTTP/1.1 200 Connected\r\n\r\n");
    client.pipe(upstream).pipe(client);
  });
  const proxy = await listenOnFreePort(tunnel);
  const runWithProxy = (url: string, HTTP_PROXY: string) => {
    const env = { ...process.env, HTTP_PROXY };
    return runProcess(process.execPath, ["tools/conformance/check-command.ts", url], { env });
  };
  expect(await runWithProxy("http://counts.example", proxy.origin)).toMatchObject({ status: 0 });
  expect(new Set(targets)).toEqual(new Set(["counts.example:80"]));
  expect(await runWithProxy(service.url, "http://localhost:9")).toMatchObject({ status: 0 });
  expect(await runWithProxy(service.url, "localhost:3128")).toMatchObject({
    status: 2,
    stderr: "HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy, such as http://proxy.example:3128\n",
  });
  await Promise.all([service.close(), proxy.close()]);
});
