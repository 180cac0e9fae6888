import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PROJECT, TEMPORARY_ACCOUNT } from "../../../data/stores/wrangler.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import { openTemporaryAccount } from "../../../tools/deploy/temporary-account.ts";
import { finish } from "../../processes.ts";
import { openApi, TEMPORARY_TOKEN } from "./stub/api.ts";
import { type Fixture, openFixture } from "./stub/fixture.ts";
import type { Api } from "./stub/route.ts";

// The real wrangler creates the account. Only the Cloudflare API is a stub.

let home: string;
let api: Api;
let fixture: Fixture;
let env: Record<string, string>;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "temporary-account-test-"));
  api = await openApi();
  fixture = await openFixture(true);
  env = {
    CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "",
    CLOUDFLARE_ACCOUNT_ID: "",
    XDG_CONFIG_HOME: home,
    HOME: home,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value || undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  delete process.env[TEMPORARY_ACCOUNT];
  await api.close();
  await fixture.close();
  await rm(home, { recursive: true, force: true });
});

test("a deployment to a temporary account uses it for every command", async () => {
  expect(await openTemporaryAccount(fixture.dependencies)).toBe(`${api.origin}/claim/secret`);
  expect(api.terms).toBe("yes");
  await deployProduction({ skipChecks: true, url: api.origin }, fixture.dependencies);
  expect(api.databases.list().map(({ name }) => name)).toEqual(["traffic-count-records"]);
  expect(api.versions).toHaveLength(1);
  expect([...api.tokens].filter((token) => token !== "")).toEqual([`Bearer ${TEMPORARY_TOKEN}`]);
  expect(api.unknown).toEqual([]);
});

test("the command prints the address with which the account can be claimed, before the first step", async () => {
  const child = spawn(process.execPath, ["tools/deploy/cli.ts", "deploy", "--temporary", "--skip-checks"], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  child.stdout.on("data", (text) => {
    if (String(text).includes("[1/7]")) child.kill();
  });
  const { stdout } = await finish(child);
  expect(stdout).toContain(`To keep it, open\n${api.origin}/claim/secret\nThis address is a secret`);
  expect(stdout.indexOf("secret")).toBeLessThan(stdout.indexOf("[1/7]"));
});

test("a token is refused, because wrangler would use the account of the token", async () => {
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "token");
  await expect(openTemporaryAccount(fixture.dependencies)).rejects.toThrow("CLOUDFLARE_API_TOKEN is set");
  expect(api.tokens.size).toBe(0);
});

test("a login is refused, because wrangler would use the login and print no address", async () => {
  const { platform } = fixture;
  const refused = openTemporaryAccount({ wrangler: platform.wrangler });
  await expect(refused).rejects.toThrow("wrangler is logged in");
  expect(platform.calls()).toEqual(["wrangler d1 list --json --temporary"]);
  expect(process.env[TEMPORARY_ACCOUNT]).toBeUndefined();
});
