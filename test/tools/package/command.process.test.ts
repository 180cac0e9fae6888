import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { basename, join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { expect, inject, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { findPort, openSocket } from "../../support/free-port.ts";
import { formatCsv, makeRecords } from "../../support/sample-records.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { CERT, COMMAND, installPackage, KEY, runIn, startCommand } from "./built-package.ts";

const folder = await installPackage();
await writeFile(join(folder, "counts.csv"), formatCsv(makeRecords(50)).replaceAll("tf1", "tf2"));

test("a signal ends waits, but nothing that is being sent", async () => {
  const { line, url, stop } = await startCommand(folder, ["--admin"]);
  expect(line).toMatch(/^Serving at http:\/\/localhost:\d+$/);
  const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const faults = ["hang", "body=slow,delay=10000"].map((fault) => get(`/api/tf1/records/?prefer=${fault}`));
  const ended = Promise.all(["", ...faults].map(async (requests) => text(await openSocket(url, requests))));
  // More than fits into the buffers of a connection.
  const reader = await openSocket(url, get("/seed.csv.gz").repeat(40));
  const countRequests = async () =>
    Object(await (await fetch(`${url}/__admin/requests`)).json()).requests.length;
  await expect.poll(countRequests).toBeGreaterThan(faults.length);
  const stopped = stop();
  await expect.poll(() => fetch(url).catch(({ cause }) => cause.code)).toBe("ECONNREFUSED");
  // The process does not end before this one has read everything.
  expect(await ended).toEqual(["", "", expect.stringMatching(/^HTTP\/1.1 200 (?!.*\r\n0\r\n)/s)]);
  expect((await buffer(reader)).toString("latin1").match(/HTTP\/1.1 200 /g)).toHaveLength(40);
  expect(await stopped).toEqual({ status: 143, stderr: "" });
});

test("SIGHUP reads the files again, and the previous records stay if they are wrong", async () => {
  const write = (records: number) => writeFile(join(folder, "city.csv"), formatCsv(makeRecords(records)));
  await write(16);
  const origin = "https://counts.example";
  const args = ["city.csv", "--source", "A city", "--faults", "off", "--public-origin", origin];
  const { lines, url, pid, getErrors, stop } = await startCommand(folder, args);
  const read = async () => {
    const response = await fetch(`${url}/api/tf1/records/?prefer=count%3D9`);
    const { count, next } = Object(await response.json());
    expect(next).toBe(`${origin}/api/tf1/records/?format=api&page=2&prefer=count%3D9`);
    return [count, response.headers.get("Data-Source")];
  };
  await write(20);
  process.kill(pid, "SIGHUP");
  expect(await once(lines, "line")).toEqual(["Serving 20 records, read again"]);
  expect(await read()).toEqual([20, "A city"]);
  await writeFile(join(folder, "city.csv"), "x");
  process.kill(pid, "SIGHUP");
  await expect.poll(getErrors).toContain("city.csv:1: ");
  expect(await read()).toEqual([20, "A city"]);
  expect((await stop()).status).toBe(143);
});

test("while SIGHUP reads the files again, the admin API restores the new records", async () => {
  const write = (records: number) => writeFile(join(folder, "town.csv"), formatCsv(makeRecords(records)));
  await write(16);
  const { url, pid, stop } = await startCommand(folder, ["town.csv", "--admin"]);
  await write(20_000);
  process.kill(pid, "SIGHUP");
  await fetch(`${url}/__admin/records`, { method: "DELETE" });
  const count = async () => Object(await (await fetch(`${url}/healthz`)).json()).snapshot.count;
  await expect.poll(count).toBe(20_000);
  await stop();
});

const inShell = (script: string) => ["sh", "-c", script, process.execPath];

test("SIGHUP reads the files again when they were read for the first time", async () => {
  await runIn(folder, "mkfifo", ["pipe"]);
  // The pipe can be opened for writing as soon as the command reads it. The pause lets it notice that nobody writes any more.
  const write =
    "(exec 3> pipe; kill -HUP $pid; cat counts.csv >&3; exec 3>&-; sleep 2; cat counts.csv > pipe)";
  const runtime = inShell(`pid=$$; ${write} & exec "$0" "$@"`);
  const { line, lines, stop } = await startCommand(folder, ["pipe", "--model-name", "tf1"], runtime);
  expect(line).toContain("Serving at ");
  expect(await once(lines, "line")).toEqual(["Serving 50 records, read again"]);
  expect((await stop()).status).toBe(143);
});

test.each([
  ["without files", [], 'exec "$0" "$@"'],
  ["with standard input", ["-", "--model-name", "tf1"], 'exec "$0" "$@" < counts.csv'],
])("SIGHUP %s ends the command", async (_, args, script) => {
  const { stop } = await startCommand(folder, args, inShell(script));
  expect((await stop("SIGHUP")).status).toBe(129);
});

test.each(["", " | cat"])("the end of its terminal ends the command%s", async (redirection) => {
  const runtime = inShell(`exec script -qec "$0 $*${redirection}" /dev/null`);
  const { url, stop } = await startCommand(folder, ["counts.csv", "--model-name", "tf1"], runtime);
  expect((await fetch(url)).status).toBe(200);
  await stop("SIGKILL");
  await expect.poll(() => fetch(url).catch(({ cause }) => cause.code)).toBe("ECONNREFUSED");
});

test("the command prints each request with --log, and only headers that have no secrets", async () => {
  const { line, url, stop } = await startCommand(folder, ["--log", "--prefer", "code=429"]);
  expect(line).toContain("Serving with code=429 at ");
  const secrets = { Authorization: "a secret", Cookie: "a=secret", "X-API-Key": "a secret" };
  const headers = { "If-None-Match": '"a"', "User-Agent": "\u009b31m", Prefer: "dealy=5", ...secrets };
  await send(`${url}/api/tf1/records/?page=2`, headers);
  await send(`${url}/__admin/requests`, headers);
  const { stderr } = await stop();
  expect(stderr).not.toContain("\u009b");
  expect(JSON.parse(stderr)).toEqual({
    method: "GET",
    url: `${url}/api/tf1/records/?page=2`,
    headers: {
      host: new URL(url).host,
      "if-none-match": '"a"',
      prefer: "dealy=5",
      "user-agent": "\u009b31m",
    },
    receivedAt: expect.any(Number),
    status: 429,
    applied: ["code=429"],
    changes: [],
    warnings: [expect.stringMatching(/^dealy=5 is unknown/)],
  });
});

test.each([
  ["0.0.0.0", /^Warning: /],
  ["LOCALHOST", /^$/],
  ["127.0.0.1", /^$/],
])("with --admin on %s, the command prints %s", async (host, printed) => {
  const { stop } = await startCommand(folder, ["--admin", "--host", host]);
  expect((await stop()).stderr).toMatch(printed);
});

test("the command keeps nothing of a request", async () => {
  const runtime = [process.execPath, "--heapsnapshot-signal=SIGUSR2", `--diagnostic-dir=${folder}`];
  const { url, pid, stop } = await startCommand(folder, [], runtime);
  onTestFinished(async () => void (await stop()));
  const marks = ["mark-in-url-7f3a", "mark-in-header-7f3a"];
  await send(`${url}/api/tf1/records/?x=${marks[0]}`, { "X-Mark": String(marks[1]) });
  // Others follow on other connections, because a runtime may hold on to the latest one.
  for (let count = 0; count < 20; count++) await send(`${url}/api/tf1/records/?page=2`, {});
  process.kill(pid, "SIGUSR2");
  const listSnapshots = () => globSync(join(folder, "*.heapsnapshot"));
  await expect.poll(listSnapshots).toHaveLength(1);
  // The process responds only after it has written the whole file.
  await send(`${url}/healthz`, {});
  const heap = readFileSync(String(listSnapshots()[0]), "utf8");
  expect(heap).toContain("tf1/records");
  for (const mark of marks) expect(heap.includes(mark), mark).toBe(false);
});

/** Sends a request on a connection of its own, with no other headers than these, `Host` and `Connection`. */
async function send(url: string, headers: Record<string, string>): Promise<void> {
  const [response] = await once(get(url, { agent: false, headers }), "response");
  await text(response);
}

test("the command starts as release.yml starts it on each system", async () => {
  const { jobs } = parse(readFileSync(".github/workflows/release.yml", "utf8"));
  const port = String(await findPort());
  const script = jobs.start.steps.at(-1).run.replaceAll("8787", port);
  const cwd = createFolder();
  await copyFile(inject("tarball"), join(cwd, basename(inject("tarball"))));
  // As GitHub runs a script with `shell: bash`.
  const options = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
  const stdout = expect.stringMatching(/^Serving .*\n\{"count":40614,/);
  expect(await runIn(cwd, "bash", options)).toMatchObject({ status: 0, stdout });
});

/** A module that breaks what the command calls. */
const BUG =
  "data:text/javascript,import{Server}from'node:net';Server.prototype.listen=()=>{throw%20TypeError('bug')}";

// biome-ignore format: a table of cases
test.each([
  { name: "an invalid port in PORT", args: [], env: { PORT: "eighty" }, expected: [2, "PORT"] },
  { name: "an option that npm has taken", args: [], env: { npm_package_name: "traffic-count-records", npm_config_faults: "off" }, expected: [2, "--faults did not arrive"] },
  { name: "an invalid fault", args: ["--prefer", "code=5"], expected: [2, "code=5 is invalid"] },
  { name: "an address of another machine", args: ["--host", "203.0.113.1"], expected: [2, "this address"] },
  { name: "an address in brackets", args: ["--host", "[::1]"], expected: [2, "without brackets"] },
  { name: "a certificate without its key", args: ["--cert", CERT], expected: [2, "both cert and key"] },
  { name: "a missing certificate", args: ["--cert", "nothing.pem", "--key", KEY], expected: [2, "open 'nothing.pem'"] },
  { name: "a key that is none", args: ["--cert", CERT, "--key", CERT], expected: [2, "cannot be used: "] },
  { name: "a public origin with a path", args: ["--public-origin", "https://a/b"], expected: [2, "error: The public origin is"] },
  { name: "faults that are off", args: ["--faults", "off", "--prefer", "code=503"], expected: [2, "but faults are off"] },
  { name: "a source of the sample data", args: ["--source", "x"], expected: [2, "has its own source"] },
  { name: "another model", args: ["--model-name", "tf2"], expected: [2, "Allowed choices are tf1"] },
  { name: "a bug, with its stack", args: [], env: { NODE_OPTIONS: `--import=${BUG}` }, expected: [1, "TypeError: bug\n    at "] },
  { name: "--admin behind a proxy", args: ["--admin", "--public-origin", "https://counts.example"], expected: [2, "'--admin' cannot be used with option '--public-origin"] },
  { name: "an invalid file, as load does", args: ["counts.csv"], expected: [1, 'counts.csv:2: model_name "tf2" is not "tf1"'] },
  { name: "a missing file, although PORT is empty", args: ["nothing.csv"], env: { PORT: "" }, expected: [1, "nothing.csv: cannot be read"] },
  { name: "a file that is named like the subcommand", args: ["./check"], expected: [1, "./check: cannot be read"] },
  { name: "the subcommand without a URL", args: ["conformance"], expected: [2, "argument 'url'"] },
  { name: "a Node without SQLite, such as Node 20", args: [], env: { NODE_OPTIONS: "--no-experimental-sqlite" }, expected: [1, "Node 22.13 or newer"] },
])("the command explains $name", async ({ args, env, expected: [status, reason] }) => {
  const ended = await runIn(folder, process.execPath, [COMMAND, ...args], env);
  expect(ended).toEqual({ status, stdout: "", stderr: expect.stringContaining(String(reason)) });
});
