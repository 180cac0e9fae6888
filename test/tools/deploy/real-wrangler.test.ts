import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { load } from "../../../data/load.ts";
import type { Dependencies } from "../../../tools/deploy/deploy.ts";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction, rollBack } from "../../../tools/deploy/production.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { openApi } from "./stub/api.ts";

import { type Fixture, openFixture } from "./stub/fixture.ts";
import type { Api } from "./stub/route.ts";

// These tests run the real wrangler. Only the API that it talks to is a stub.

const changed = vi.hoisted(() => ({ previewStore: "d1", grow: "off" }));
vi.mock(import("../../../tools/deploy/deploy-target.ts"), async (original) => {
  const actual = await original();
  return {
    ...actual,
    async readWranglerToml() {
      const configuration = await actual.readWranglerToml();
      Object.assign(configuration.previews?.vars ?? {}, { STORE: changed.previewStore });
      Object.assign(configuration.vars ?? {}, { GROW: changed.grow });
      return configuration;
    },
  };
});

let fixture: Fixture;
let api: Api;
let dependencies: Dependencies;
let home: string;
beforeEach(async () => {
  home = createFolder();
  api = await openApi();
  fixture = await openFixture(true);
  dependencies = fixture.dependencies;
  const env = {
    CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    XDG_CONFIG_HOME: home,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterEach(async () => {
  Object.assign(changed, { previewStore: "d1", grow: "off" });
  vi.unstubAllEnvs();
  api?.close();
  await fixture?.close();
});

const OPTIONS = { skipChecks: true };

const readState = (index: number) => {
  const uuid = String(api.databases.list()[index]?.uuid);
  return api.databases.query(uuid, { sql: "SELECT version, count FROM state" })[0]?.results[0];
};

test("wrangler deploys to production, keeps what is loaded when it deploys again, and rolls back", async () => {
  const production = { ...OPTIONS, url: api.origin };
  const first = await deployProduction(production, dependencies);
  expect(first.version).toBe(api.versions[0]?.id);
  expect(api.databases.list().map(({ name }) => name)).toEqual(["traffic-count-records"]);
  expect(api.namespaces.map(({ title }) => title)).toEqual(["traffic-count-records-kv"]);
  expect(readState(0)).toMatchObject({ count: 20 });
  const [uploaded] = api.versions;
  expect(uploaded?.metadata).toContain(api.databases.list()[0]?.uuid);
  expect(uploaded?.metadata).toContain(api.namespaces[0]?.id);
  expect(uploaded?.metadata).toContain(`"workers/tag":"${fixture.commit}"`);

  // What is loaded stays, even if the database has migrations of later code.
  const file = join(home, "records.csv");
  await writeFile(file, CSV_HEADER + makeRecords(50).map(csvLine).join(""));
  const config = join(fixture.configFolder, "traffic-count-records.json");
  await load([file], { store: "d1", remote: true, config });
  const state = readState(0);
  expect(state).toMatchObject({ count: 50 });
  const later = "INSERT INTO d1_migrations (name) VALUES ('0004_later.sql')";
  api.databases.query(String(api.databases.list()[0]?.uuid), { sql: later });

  api.schedules = ["* * * * *"];
  const second = await deployProduction(production, dependencies);
  expect(api.schedules, "removed, because the collection does not grow").toEqual([]);
  expect(second.version).not.toBe(first.version);
  expect(readState(0), "not loaded again").toEqual(state);
  expect([api.databases.list().length, api.namespaces.length]).toEqual([1, 1]);

  expect(await rollBack({ url: api.origin }, dependencies)).toBe(first.version);
  expect(api.unknown).toEqual([]);
});

test("wrangler creates the cron trigger if the collection grows, and if it cannot, the error tells what is served", async () => {
  const production = { ...OPTIONS, url: api.origin };
  changed.grow = "on";
  api.cronTriggers = 0;
  const failure = await deployProduction(production, dependencies).catch(String);
  expect(api.versions).toHaveLength(1);
  expect(failure).toContain("The account has no cron trigger left.");
  expect(failure).toContain(`The new version of the code, ${api.versions[0]?.id}, is served already.`);
  api.cronTriggers = 5;
  await deployProduction(production, dependencies);
  expect(api.schedules).toEqual(["5,35 * * * *"]);
  expect(api.unknown).toEqual([]);
});

test("without a subdomain of workers.dev, the error tells what to do and that nothing was deployed", async () => {
  api.hasSubdomain = false;
  const failure = await deployProduction({ ...OPTIONS, url: api.origin }, dependencies).catch(String);
  expect(failure).toMatch(/^Error: Step 4 of 7 failed: deploy the worker\./);
  expect(failure).toContain("The account has no subdomain of workers.dev. Choose one in the dashboard");
  expect(failure).toContain("Nothing was deployed.");
  expect(api.versions).toEqual([]);
});

test("wrangler creates, updates and removes a preview with its own stores", async () => {
  const name = "traffic-count-records-preview-feature-login-df7c7a";
  for (const commit of ["first", "second"]) {
    expect(await deployPreview(OPTIONS, dependencies), commit).toMatchObject({ address: api.origin });
    expect([...api.previews]).toEqual(["feature-login-df7c7a"]);
    expect(api.databases.list().map((database) => database.name)).toEqual([name]);
    expect(api.namespaces.map(({ title }) => title)).toEqual([`${name}-kv`]);
    expect(readState(0)).toMatchObject({ count: 20 });
    expect(api.versions.at(-1)?.metadata).toContain(api.databases.list()[0]?.uuid);
    expect(api.versions.at(-1)?.metadata).toContain(api.namespaces[0]?.id);
  }
  await deletePreview({}, dependencies);
  expect([api.previews.size, api.databases.list().length, api.namespaces.length]).toEqual([0, 0, 0]);
  await deletePreview({}, dependencies);
  expect(fixture.printed).toContain("      the preview does not exist");
  expect(api.unknown).toEqual([]);
});

test("wrangler loads the namespace once if the store is kv", async () => {
  changed.previewStore = "kv";
  await deployPreview(OPTIONS, dependencies);
  const pairs = new Map(api.pairs.get(String(api.namespaces[0]?.id)));
  expect(JSON.parse(String(pairs.get("state")))).toMatchObject({ count: 20 });
  await deployPreview(OPTIONS, dependencies);
  expect(api.pairs.get(String(api.namespaces[0]?.id)), "loaded once").toEqual(pairs);
  expect(api.unknown).toEqual([]);
});

test("without a token, the error explains how to log in", async () => {
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  await expect(deployProduction(OPTIONS, dependencies)).rejects.toThrow(
    /^Step 1 of 7 failed: find or create the database and the namespace\..*set a CLOUDFLARE_API_TOKEN.*The token needs/s,
  );
});
