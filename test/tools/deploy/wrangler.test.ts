import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { load } from "../../../data/load.ts";
import { findPlace, readConfiguration } from "../../../tools/deploy/place.ts";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import { release, type Surroundings } from "../../../tools/deploy/release.ts";
import { rollBack } from "../../../tools/deploy/rollback.ts";
import { makeRecords } from "../../records/sample.ts";
import { type Api, startApi } from "./stub/api.ts";
import { type Rehearsal, startRehearsal } from "./stub/rehearsal.ts";

// Wrangler itself, with its real commands, options and outputs: only what it talks to is made up.

let rehearsal: Rehearsal;
let api: Api;
let surroundings: Surroundings;
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "wrangler-test-"));
  api = await startApi();
  rehearsal = await startRehearsal();
  surroundings = { ...rehearsal.surroundings, wrangler: undefined };
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
  await rehearsal?.close();
  await rm(home, { recursive: true, force: true });
});

const OPTIONS = { skipChecks: true };

const readState = (index: number) => {
  const uuid = String(api.databases.list()[index]?.uuid);
  return api.databases.query(uuid, { sql: "SELECT version, count FROM state" })[0]?.results[0];
};

test("wrangler deploys to production, again, and goes back", async () => {
  const production = { ...OPTIONS, url: api.origin };
  const first = await deployProduction(production, surroundings);
  expect(first.version).toBe(api.versions[0]?.id);
  expect(api.databases.list().map(({ name }) => name)).toEqual(["traffic-count-records"]);
  expect(api.namespaces.map(({ title }) => title)).toEqual(["traffic-count-records-kv"]);
  const state = readState(0);
  expect(state).toMatchObject({ count: 20 });
  const [uploaded] = api.versions;
  expect(uploaded?.metadata).toContain(api.databases.list()[0]?.uuid);
  expect(uploaded?.metadata).toContain(api.namespaces[0]?.id);
  expect(uploaded?.metadata).toContain(`"workers/tag":"${rehearsal.commit}"`);

  const second = await deployProduction(production, surroundings);
  expect(second.version).not.toBe(first.version);
  expect(readState(0), "loaded once").toEqual(state);
  expect([api.databases.list().length, api.namespaces.length]).toEqual([1, 1]);

  expect(await rollBack({ url: api.origin }, surroundings)).toBe(first.version);
  expect(api.unknown).toEqual([]);
});

test("wrangler leaves what is loaded, also where the database has migrations of later code", async () => {
  const place = findPlace(await readConfiguration(), undefined);
  const publish = async () => ({ address: api.origin, version: undefined });
  await release(place, publish, OPTIONS, surroundings);
  const own = join(home, "own.csv");
  await writeFile(own, CSV_HEADER + makeRecords(50).map(csvLine).join(""));
  const config = join(rehearsal.deployments, "traffic-count-records.json");
  await load([own], { store: "d1", remote: true, config });
  const state = readState(0);
  expect(state).toMatchObject({ count: 50 });
  const later = "INSERT INTO d1_migrations (name) VALUES ('0003_later.sql')";
  api.databases.query(String(api.databases.list()[0]?.uuid), { sql: later });
  await release(place, publish, OPTIONS, surroundings);
  expect(readState(0)).toEqual(state);
});

test("wrangler makes a branch's preview, updates it, and removes it with what is its own", async () => {
  const own = "traffic-count-records-preview-feature-login-df7c7a";
  for (const commit of ["first", "second"]) {
    expect(await deployPreview(OPTIONS, surroundings), commit).toMatchObject({ address: api.origin });
    expect([...api.previews]).toEqual(["feature-login-df7c7a"]);
    expect(api.databases.list().map(({ name }) => name)).toEqual([own]);
    expect(api.namespaces.map(({ title }) => title)).toEqual([`${own}-kv`]);
    expect(readState(0)).toMatchObject({ count: 20 });
    expect(api.versions.at(-1)?.metadata).toContain(api.databases.list()[0]?.uuid);
    expect(api.versions.at(-1)?.metadata).toContain(api.namespaces[0]?.id);
  }
  await deletePreview({}, surroundings);
  expect([api.previews.size, api.databases.list().length, api.namespaces.length]).toEqual([0, 0, 0]);
  await deletePreview({}, surroundings);
  expect(rehearsal.said).toContain("      it is gone already");
  expect(api.unknown).toEqual([]);
});

test("wrangler loads the namespace where the store is that, once", async () => {
  const place = { ...findPlace(await readConfiguration(), "kv"), store: "kv" as const };
  const publish = async () => ({ address: api.origin, version: undefined });
  await release(place, publish, OPTIONS, surroundings);
  const pairs = new Map(api.pairs.get(String(api.namespaces[0]?.id)));
  expect(JSON.parse(String(pairs.get("state")))).toMatchObject({ count: 20 });
  await release(place, publish, OPTIONS, surroundings);
  expect(api.pairs.get(String(api.namespaces[0]?.id)), "loaded once").toEqual(pairs);
  expect(api.unknown).toEqual([]);
});

test("without a token wrangler says what to set", async () => {
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  await expect(deployProduction(OPTIONS, surroundings)).rejects.toThrow(
    /^Step 1 of 7 failed: find the database and the namespace\..*set a CLOUDFLARE_API_TOKEN.*the token needs/s,
  );
});
