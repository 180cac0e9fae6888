import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../../src/store/block.ts";
import { info } from "../../../tools/data/info.ts";
import { loadFiles } from "../../../tools/data/load.ts";
import { openRemoteStore } from "../../../tools/data/stores/remote-stores.ts";
import { createSnapshotId } from "../../../tools/data/stores/stored-snapshot.ts";
import { readAll } from "../../support/reader.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { openCloudflare } from "../deploy/cloudflare.ts";
import type { Cloudflare } from "../deploy/cloudflare-api.ts";
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

  /** Expects that the store has the loaded records, and their statistics. */
  async function expectLoaded(store: "d1" | "kv", count: number): Promise<void> {
    expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining(`Loaded ${count} records`));
    const { records } = await readAll(openRemoteStore(store, { remote: true, config }).store);
    expect(records.reverse()).toEqual(makeRecords(count));
  }

  test.each(["none", "debug"])("WRANGLER_LOG=%s does not change the output that is parsed", async (level) => {
    vi.stubEnv("WRANGLER_LOG", level);
    await info({ store: "d1", remote: true, config });
    expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining("d1 store (deployed)"));
  });

  test("info and load use a deployed database, even if a request is rejected once", async () => {
    const tables = api.databases
      .get(DATABASE_ID)!
      .sqlite.prepare("SELECT count(*) AS tables FROM sqlite_schema");
    await info({ store: "d1", remote: true, config });
    expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining("d1 store (deployed)"));
    expect(tables.get(), "reading creates no tables").toEqual({ tables: 0 });
    api.rejected = /^POST .*\/import$/;
    await loadFiles(writeRecords(BLOCK_SIZE + 1), { store: "d1", remote: true, config });
    expect(api.rejected).toBeUndefined();
    await expectLoaded("d1", BLOCK_SIZE + 1);
  });

  test("load uses a deployed namespace that loses a key, and a load deletes the blocks of old loads", async () => {
    const pairs = api.namespaces.get(NAMESPACE_ID)!;
    const served = createSnapshotId(Date.now() - 50 * 3_600_000);
    const abandoned = createSnapshotId(Date.now() - 25 * 3_600_000);
    const loaded_at = new Date(Date.now() - 49 * 3_600_000).toISOString();
    pairs.set("current-snapshot", JSON.stringify({ id: served, count: 0, loaded_at, source: "" }));
    for (const name of [served, abandoned]) pairs.set(`block/${name}/0`, "{}");
    const has = (name: string) => [...pairs.keys()].some((key) => key.includes(name));
    const count = BLOCK_SIZE + 1;
    const choice = { store: "kv", remote: true, config, propagationMs: 20 } as const;
    api.lostKeys = /\/2$/;
    await loadFiles(writeRecords(count), choice);
    expect([has(abandoned), has(served)], "readers may still need the replaced load").toEqual([false, true]);
    expect(console.error).toHaveBeenCalledWith(expect.stringMatching(/^Waiting 0\.02 seconds /));
    expect(console.error).toHaveBeenCalledWith(expect.stringMatching(/^Warning: .* lost 1 block/));
    await expectLoaded("kv", count);
  });

  test("a load into a database that does not exist loads nothing", async () => {
    api.databases.clear();
    const loading = loadFiles(writeRecords(30), { store: "d1", remote: true, config });
    await expect(loading).rejects.toThrow(/could not be found.*\nNothing was loaded\.$/s);
  });
});
