import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../../src/store/block.ts";
import { createKvStore } from "../../../src/store/kv.ts";
import { info } from "../../../tools/data/info.ts";
import { loadFiles } from "../../../tools/data/load.ts";
import { DEPLOYED_KV } from "../../../tools/data/stores/kv-writer.ts";
import { createSnapshotId } from "../../../tools/data/stores/writer.ts";
import { readAll } from "../../support/reader.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { type Cloudflare, openCloudflare } from "../deploy/cloudflare.ts";
import { DATABASE_ID, NAMESPACE_ID, useRemoteConfiguration } from "./remote-configuration.ts";

const { folder, config, writeRecords } = useRemoteConfiguration();

// A test starts wrangler many times.
describe("through the real wrangler,", { timeout: 900_000 }, () => {
  let api: Cloudflare;
  beforeEach(async () => {
    api = await openCloudflare();
    const env = {
      CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      XDG_CONFIG_HOME: folder,
    };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    api.namespaces.set(NAMESPACE_ID, new Map());
    api.databases.set(DATABASE_ID, { name: "records", sqlite: new DatabaseSync(":memory:") });
  });
  afterEach(async () => {
    expect(api.unknown).toEqual([]);
    await api.close();
  });

  test("info reads a deployed database even if a request is rejected once, whatever wrangler logs, and creates no tables", async () => {
    vi.stubEnv("WRANGLER_LOG", "none");
    api.rejected = /^POST .*\/query$/;
    await info({ store: "d1", remote: true, config });
    expect(api.rejected).toBeUndefined();
    expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining("d1 store (deployed)"));
    const { sqlite } = api.databases.get(DATABASE_ID)!;
    expect(sqlite.prepare("SELECT name FROM sqlite_schema").all()).toEqual([]);
  });

  test("load uses a deployed namespace, and deletes the blocks of old loads", async () => {
    const pairs = api.namespaces.get(NAMESPACE_ID)!;
    const served = createSnapshotId(Date.now() - 50 * 3_600_000);
    const abandoned = createSnapshotId(Date.now() - 25 * 3_600_000);
    const loaded_at = new Date(Date.now() - 49 * 3_600_000).toISOString();
    pairs.set("current-snapshot", JSON.stringify({ id: served, count: 0, loaded_at, source: "" }));
    for (const name of [served, abandoned]) pairs.set(`block/${name}/0`, "{}");
    const has = (name: string) => [...pairs.keys()].some((key) => key.includes(name));
    const count = BLOCK_SIZE + 1;
    // A test should not wait for 70 seconds.
    Object.assign(DEPLOYED_KV, { propagationMs: 20 });
    await loadFiles(writeRecords(count), { store: "kv", remote: true, config });
    expect([has(abandoned), has(served)], "readers may still need the replaced load").toEqual([false, true]);
    expect(console.error).toHaveBeenCalledWith(expect.stringMatching(/^Waiting 0\.02 seconds /));
    const get = async (keys: string[]) => keys.map((key) => pairs.get(key) ?? null);
    expect((await readAll(createKvStore({ get }))).records.reverse()).toEqual(makeRecords(count));
  });

  test("a load into a database that does not exist loads nothing", async () => {
    api.databases.clear();
    const loading = loadFiles(writeRecords(30), { store: "d1", remote: true, config });
    await expect(loading).rejects.toThrow(/code: 7404.*\nNothing was loaded\.$/s);
  });
});
