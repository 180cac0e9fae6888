import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { Page } from "../../../src/records/record.ts";
import { isLoaded } from "../../../tools/serve/local-database.ts";
import { listen } from "../../listen.ts";
import { runScript } from "../../processes.ts";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { runServer, serve, untilFresh } from "../../serve.ts";

let folder: string;
beforeAll(async () => {
  const { status, stderr } = await runScript("build", []);
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/error/i)]);
  folder = await mkdtemp(join(tmpdir(), "serve-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const readHealth = async (origin: string) => (await fetch(`${origin}/healthz`)).json();

const readPage = async (origin: string) =>
  Page.parse(await (await fetch(`${origin}/api/tf1/records/`)).json());

test("npm run serve serves the seed, then newly loaded records, and keeps them for the next start", async () => {
  const databases = join(folder, "v3/d1");
  expect(await isLoaded(databases, "DB")).toBe(false);
  const first = await runServer("serve", folder);
  const page = await readPage(first.origin);
  expect(page.count).toBe(40_614);
  expect(page.next).toBe(`${first.origin}/api/tf1/records/?format=api&page=2`);
  expect(await readHealth(first.origin)).toMatchObject({
    status: "ok",
    code: { id: expect.stringMatching(/^[0-9a-f]{12}$/) },
  });
  expect(await isLoaded(databases, "DB")).toBe(true);
  expect(await isLoaded(databases, "another")).toBe(false);

  const file = join(folder, "records.csv");
  await writeFile(file, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
  const loaded = await runData(["load", file, "--persist-to", folder]);
  expect(loaded).toMatchObject({ status: 0, stdout: "Loaded 20 records.\n" });
  await untilFresh();
  expect((await readPage(first.origin)).count, "by the server that was running").toBe(20);
  await first.terminate();
  await expect(fetch(first.origin), "by nobody").rejects.toThrow("fetch failed");

  const second = await runServer("serve", folder, [
    "--var",
    "GROW:on",
    "--var",
    "PUBLIC_ORIGIN:https://counts.example",
  ]);
  const { count, next } = await readPage(second.origin);
  expect([count, next]).toEqual([20, "https://counts.example/api/tf1/records/?format=api&page=2"]);
  await second.close();

  const third = await serve(folder);
  expect((await readPage(third.origin)).count, "by npm start").toBe(20);
  await third.close();
});

test("npm run serve passes npm run test:live and the conformance check", async () => {
  await runData(["load", "data/seed/2025-11-02.csv", "--persist-to", folder]);
  const { origin, close } = await runServer("serve", folder);
  process.env.BASE_URL = origin;
  const live = await runScript("test:live", []);
  delete process.env.BASE_URL;
  const conformance = await runScript("conformance", [origin, "--pages", "20"]);
  await close();
  expect(live.status, live.stdout + live.stderr).toBe(0);
  expect(live.stdout).toMatch(/Tests .*\d+ passed/);
  expect(live.stdout).not.toContain("skipped");
  expect(conformance.stdout).toMatch(/^\d+ pass, 0 fail, /m);
});

test("npm run serve names a port that is already in use", async () => {
  const { origin, close } = await listen(createServer());
  const { port } = new URL(origin);
  const { status, stderr } = await runScript("serve", ["--port", port, "--persist-to", folder]);
  await close();
  expect([status, stderr]).toEqual([1, `listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`]);
});

test.each([
  ["STORE:kv", 1, 'STORE is "kv", but npm run serve serves from "d1" only.'],
  ["RATE_LIMIT:10", 1, 'RATE_LIMIT must be "off" for npm run serve, because workerd has no rate limits.'],
  ["GROW", 2, "It must be NAME:VALUE, for example GROW:on."],
])("npm run serve -- --var %s is refused", async (variable, expected, problem) => {
  const { status, stderr } = await runScript("serve", ["--var", variable, "--persist-to", folder]);
  expect([status, stderr]).toEqual([expected, expect.stringContaining(problem)]);
});
