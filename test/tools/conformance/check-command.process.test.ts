import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createCheckCommand } from "../../../tools/conformance/check-command.ts";
import { listen } from "../../../tools/package/listen.ts";
import { toReply } from "../../../tools/package/respond.ts";
import { listenOnFreePort } from "../../support/free-port.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { type Finished, removeProgress, runInProcess, runProcess } from "../../support/run-command.ts";
import { makeRecords } from "../../support/sample-records.ts";
import {
  ADDRESS,
  type Change,
  change,
  count,
  getPageNumber,
  page,
  record,
  status,
  stubService,
} from "./changed-service.ts";

const { fetch: fetchFromServer } = globalThis;

async function runCheck(args: string[], change?: Change, records = 40): Promise<Finished> {
  await stubService(records, change);
  const finished = await runInProcess(createCheckCommand("npm run conformance --"), args);
  return { ...finished, stderr: removeProgress(finished.stderr) };
}

/** Logs the requests of a check. */
const logTo = (requests: Request[]) =>
  change((response, request) => {
    requests.push(request);
    return response;
  });

const URLS = ["http://counts.example", "http://counts.example/api/tf1/records"];

test.each(URLS)("with --write-methods, the report of %s is one line if no rule is broken", async (url) => {
  const { status, stdout, stderr } = await runCheck([url, "--write-methods"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`35 rules followed, 0 broken: ${ADDRESS}, 3 pages, 40 of 40 records\n`);
});

test("by default, the check only reads, and the report says so", async () => {
  const requests: Request[] = [];
  const { status, stdout } = await runCheck([ADDRESS], logTo(requests));
  expect(status).toBe(0);
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET", "OPTIONS"]));
  expect(stdout).toMatch(/^Not checked: Record 5\n.*--write-methods\n34 rules followed, 0 broken/);
});

test("the report shows what was asked, expected and received", async () => {
  const changed = record({ cars: "\u001B[31m", model_name: undefined });
  const { status, stdout } = await runCheck([ADDRESS, "--write-methods"], changed);
  expect(status).toBe(1);
  expect(stdout.split("\n")).toEqual([
    "Record 1 (1 of 100 times)",
    "  ?format=api&page=2 record 3",
    "    expected all twelve fields",
    "    received no model_name",
    "Record.cars (1 of 100 times)",
    "  ?format=api&page=2 record 3",
    "    expected an integer, 0 or greater",
    '    received "\\u001b[31m"',
    `33 rules followed, 2 broken: ${ADDRESS}, 3 pages, 40 of 40 records`,
    "",
  ]);
});

test("--json prints the whole table", async () => {
  const many = count(() => "many");
  const { status, stdout } = await runCheck([ADDRESS, "--json"], many, 90);
  expect(status).toBe(1);
  const { rules, ...rest } = JSON.parse(stdout);
  const found = { count: null, pages: 1, records: 15, stopped: null };
  expect(rest).toEqual({ url: ADDRESS, writeMethods: false, ...found });
  const expected = "an integer, the number of records in the collection";
  const asked = [`${ADDRESS}?format=api&page=1`, `${ADDRESS}?format=api`, ADDRESS];
  const deviations = asked.map((asked) => ({ asked, expected, received: '"many"' }));
  expect(rules.filter(({ failed }: { failed: number }) => failed > 0)).toMatchObject([
    { rule: "Page envelope.count", expected, checked: 7, failed: 5, deviations },
  ]);
});

// biome-ignore format: a table of cases
test.each<[string, args: string[], Change | undefined, RegExp]>([
  ["page 1 is not found", [ADDRESS], page(status(404)), /\/api\/tf1\/records\/ returned 404\./],
  // A port that no program has, and that the system never chooses.
  ["no server listens", ["http://127.0.0.1:2"], () => fetchFromServer, /page=1: no response, connect ECONNREFUSED .*\n$/],
  ["an option is invalid", [ADDRESS, "--pages", "0"], undefined, /--pages/],
])("the exit status is 2 if %s", async (_, args, change, problem) => {
  const stderr = expect.stringMatching(problem);
  expect(await runCheck(args, change)).toEqual({ status: 2, stdout: "", stderr });
});

test("the exit status is 2 if a later request gets no response, and the report covers the others", async () => {
  const fail = change(() => {
    throw new TypeError("fetch failed", { cause: new Error("bad port") });
  }, /page=2$/);
  const { status, stdout } = await runCheck([ADDRESS], fail);
  expect(status).toBe(2);
  expect(stdout).toMatch(/^Not checked: .*\n.*\nThe check is incomplete: .*page=2: no response, bad port\n/);
});

test("--pages reads the first pages, the middle page and the last page; each other method is sent once, without a body", async () => {
  const requests: Request[] = [];
  await runCheck([ADDRESS, "--pages", "2", "--write-methods"], logTo(requests), 200);
  const asked = requests.map((request) => `${request.method} ${getPageNumber(request)}`);
  expect(asked.slice(0, 11)).toEqual([
    ...["GET 1", "OPTIONS null", "POST null", "PUT null", "PATCH null", "DELETE null"],
    ...["GET 2", "GET 7", "GET 14", "GET 0", "GET 15"],
  ]);
  expect(requests.filter(({ body }) => body !== null)).toEqual([]);
});

const runWithProxy = (url: string, HTTP_PROXY: string) => {
  const env = { ...process.env, HTTP_PROXY, NO_PROXY: "other.example" };
  return runProcess(process.execPath, ["tools/conformance/conformance.ts", url], { env });
};

test("requests go through the proxy in HTTP_PROXY, except for local addresses", async () => {
  const { fetch } = await createMemoryService(makeRecords(20));
  const service = await listen(async (request) => toReply(await fetch(request.url, request)), { port: 0 });
  const targets = new Set<string | undefined>();
  const tunnel = createServer().on("connect", ({ url }, client) => {
    targets.add(url);
    const upstream = connect(Number(new URL(service.url).port), "localhost");
    client.write("HTTP/1.1 200 Connected\r\n\r\n");
    client.pipe(upstream).pipe(client);
  });
  const proxy = await listenOnFreePort(tunnel);
  expect(await runWithProxy("http://counts.example", proxy.origin)).toMatchObject({ status: 0 });
  expect([...targets]).toEqual(["counts.example:80"]);
  expect(await runWithProxy(service.url, "http://localhost:9")).toMatchObject({ status: 0 });
  await Promise.all([service.close(), proxy.close()]);
});

test("a proxy without a scheme is refused with the name of its variable", async () => {
  const { status, stderr } = await runWithProxy("http://localhost", "localhost:3128");
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^HTTPS_PROXY or HTTP_PROXY is not /)]);
});
