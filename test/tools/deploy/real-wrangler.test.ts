import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { load } from "../../../tools/data/load.ts";
import type { Dependencies } from "../../../tools/deploy/deploy.ts";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction, rollBack } from "../../../tools/deploy/production.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { openApi } from "./stub/api.ts";
import { type Fixture, openFixture } from "./stub/fixture.ts";
import type { Api } from "./stub/route.ts";

// These tests run the real wrangler. Only the Cloudflare API is a stub. A deployment runs about fifteen commands of
// wrangler, and each takes about a second. Therefore each test of a group continues with the account of the one before.

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

/** Opens an empty account for the tests of a group. */
function useAccount(): void {
  beforeAll(async () => {
    home = createFolder();
    api = await openApi();
    fixture = await openFixture(true);
    dependencies = fixture.dependencies;
  });
  beforeEach(() => {
    const env = {
      CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      XDG_CONFIG_HOME: home,
    };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await api?.close();
    await fixture?.close();
  });
}

const OPTIONS = { skipChecks: true };

const readState = (index: number) => {
  const uuid = String(api.databases.list()[index]?.uuid);
  return api.databases.query(uuid, { sql: "SELECT load, count FROM state" })[0]?.results[0];
};

const deploy = () => deployProduction({ ...OPTIONS, url: api.origin }, dependencies);

describe("production", () => {
  useAccount();

  test("without a token, the error explains how to log in", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    await expect(deploy()).rejects.toThrow(
      /^Step 1 of 7 failed: find or create the database and the namespace\..*set a CLOUDFLARE_API_TOKEN.*The token needs/s,
    );
  });

  test("without a workers.dev subdomain, the error gives advice and says that nothing was deployed", async () => {
    api.hasSubdomain = false;
    const failure = await deploy().catch(String);
    api.hasSubdomain = true;
    expect(failure).toMatch(/^Error: Step 4 of 7 failed: deploy the worker\./);
    expect(failure).toContain("The account has no subdomain of workers.dev. Choose one in the dashboard");
    expect(failure).toContain("Nothing was deployed.");
    expect(api.versions).toEqual([]);
    expect(api.databases.list().map(({ name }) => name)).toEqual(["traffic-count-records"]);
    expect(api.namespaces.map(({ title }) => title)).toEqual(["traffic-count-records-kv"]);
    expect(readState(0)).toMatchObject({ count: 20 });
  });

  test("if wrangler cannot create the cron trigger, the error names the version that is served", async () => {
    changed.grow = "on";
    api.cronTriggers = 0;
    const failure = await deploy().catch(String);
    const [uploaded] = api.versions;
    expect(api.versions).toHaveLength(1);
    expect(uploaded?.metadata).toContain(api.databases.list()[0]?.uuid);
    expect(uploaded?.metadata).toContain(api.namespaces[0]?.id);
    expect(uploaded?.metadata).toContain(`"workers/tag":"${fixture.commit}"`);
    expect(failure).toContain("The account has no cron trigger left.");
    expect(failure).toContain(`The new version of the code, ${uploaded?.id}, is served already.`);
  });

  test("the next deployment completes the failed one, and creates the cron trigger", async () => {
    api.cronTriggers = 5;
    const { version } = await deploy();
    expect(version).toBe(api.versions[1]?.id);
    expect(api.schedules).toEqual(["5,35 * * * *"]);
  });

  test("the loaded records are kept, even if the database has migrations of later code", async () => {
    const file = join(home, "records.csv");
    await writeFile(file, CSV_HEADER + makeRecords(50).map(csvLine).join(""));
    const config = join(fixture.configFolder, "traffic-count-records.json");
    await load([file], { store: "d1", remote: true, config });
    const state = readState(0);
    expect(state).toMatchObject({ count: 50 });
    const later = "INSERT INTO d1_migrations (name) VALUES ('0005_later.sql')";
    api.databases.query(String(api.databases.list()[0]?.uuid), { sql: later });
    changed.grow = "off";
    const { version } = await deploy();
    expect(version).toBe(api.versions[2]?.id);
    expect(api.schedules, "removed, because the collection does not grow").toEqual([]);
    expect(readState(0), "not loaded again").toEqual(state);
    expect([api.databases.list().length, api.namespaces.length]).toEqual([1, 1]);
  });

  test("a rollback serves the previous version", async () => {
    expect(await rollBack({ url: api.origin }, dependencies)).toBe(api.versions[1]?.id);
    expect(api.unknown).toEqual([]);
  });
});

describe("a preview", () => {
  useAccount();
  const name = "traffic-count-records-preview-77df07-feature-login-df7c7a";

  test.each(["d1", "kv"])("has its own stores, and %s is loaded with the seed", async (store) => {
    changed.previewStore = store;
    expect(await deployPreview(OPTIONS, dependencies)).toMatchObject({ address: api.origin });
    expect([...api.previews]).toEqual(["feature-login-df7c7a"]);
    expect(api.databases.list().map((database) => database.name)).toEqual([name]);
    expect(api.namespaces.map(({ title }) => title)).toEqual([name]);
    expect(api.versions.at(-1)?.metadata).toContain(api.databases.list()[0]?.uuid);
    expect(api.versions.at(-1)?.metadata).toContain(api.namespaces[0]?.id);
    if (store === "d1") expect(readState(0)).toMatchObject({ count: 20 });
    else expect(JSON.parse(String(readPairs().get("collection")))).toMatchObject({ count: 20 });
  });

  test("is not loaded again", async () => {
    const before = readPairs();
    await deployPreview(OPTIONS, dependencies);
    expect(readPairs()).toEqual(before);
  });

  test("is removed with its stores, and removing it again succeeds", async () => {
    await deletePreview({}, dependencies);
    expect([api.previews.size, api.databases.list().length, api.namespaces.length]).toEqual([0, 0, 0]);
    await deletePreview({}, dependencies);
    expect(fixture.printed).toContain("      the preview does not exist");
    expect(api.unknown).toEqual([]);
  });

  const readPairs = () => new Map(api.pairs.get(String(api.namespaces[0]?.id)));
});
