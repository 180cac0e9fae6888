import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { load } from "../../../data/load.ts";
import { type Dependencies, deploy } from "../../../tools/deploy/deploy.ts";
import { createTarget, readWranglerToml } from "../../../tools/deploy/deploy-target.ts";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction, rollBack } from "../../../tools/deploy/production.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { type Api, openApi } from "./stub/api.ts";
import { type Fixture, openFixture } from "./stub/fixture.ts";

// These tests run the real wrangler. Only the API that it talks to is a stub.

let fixture: Fixture;
let api: Api;
let dependencies: Dependencies;
let home: string;
beforeEach(async () => {
  home = createFolder();
  api = await openApi();
  fixture = await openFixture();
  dependencies = { ...fixture.dependencies, wrangler: undefined };
  const env = {
    CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    XDG_CONFIG_HOME: home,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterEach(async () => {
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

  const second = await deployProduction(production, dependencies);
  expect(second.version).not.toBe(first.version);
  expect(readState(0), "not loaded again").toEqual(state);
  expect([api.databases.list().length, api.namespaces.length]).toEqual([1, 1]);

  expect(await rollBack({ url: api.origin }, dependencies)).toBe(first.version);
  expect(api.unknown).toEqual([]);
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
  const target = { ...createTarget(await readWranglerToml(), "kv"), store: "kv" as const };
  const upload = async () => ({ address: api.origin, version: undefined });
  await deploy(target, upload, OPTIONS, dependencies);
  const pairs = new Map(api.pairs.get(String(api.namespaces[0]?.id)));
  expect(JSON.parse(String(pairs.get("state")))).toMatchObject({ count: 20 });
  await deploy(target, upload, OPTIONS, dependencies);
  expect(api.pairs.get(String(api.namespaces[0]?.id)), "loaded once").toEqual(pairs);
  expect(api.unknown).toEqual([]);
});

test("without a token, the error explains how to log in", async () => {
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  await expect(deployProduction(OPTIONS, dependencies)).rejects.toThrow(
    /^Step 1 of 7 failed: find or create the database and the namespace\..*set a CLOUDFLARE_API_TOKEN.*The token needs/s,
  );
});
