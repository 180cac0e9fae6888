import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { FORMAT } from "../../../src/store/snapshot.ts";
import { info } from "../../../tools/data/info.ts";
import { openRemoteStore } from "../../../tools/data/stores/remote-stores.ts";
import { createSnapshotId } from "../../../tools/data/stores/writer.ts";
import { openCloudflare } from "../deploy/cloudflare.ts";
import { useRemoteConfiguration } from "./remote-configuration.ts";

describe("through the real wrangler,", async () => {
  const { folder, config } = useRemoteConfiguration();
  const api = await openCloudflare();
  beforeEach(() => {
    const env = {
      CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      XDG_CONFIG_HOME: folder,
    };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  });

  test("info reads a deployed database even if a request is rejected once, whatever wrangler logs, and creates no tables", async () => {
    vi.stubEnv("WRANGLER_LOG", "none");
    const sqlite = new DatabaseSync(":memory:");
    Object.assign(api, { database: { name: "records", sqlite }, rejected: /^POST .*\/query$/ });
    await info({ store: "d1", remote: true, config });
    expect(api.rejected).toBeUndefined();
    expect(console.log).toHaveBeenLastCalledWith(expect.stringContaining("d1 store (deployed)"));
    expect(sqlite.prepare("SELECT name FROM sqlite_schema").all()).toEqual([]);
  });

  test("a deployed namespace is read, written, listed and swept", async () => {
    const createId = (ageHours: number) => createSnapshotId(Date.now() - ageHours * 3_600_000);
    const [orphaned, served, next] = [createId(50), createId(49), createId(0)];
    const loaded_at = new Date(Date.now() - 48 * 3_600_000).toISOString();
    const current = { format: FORMAT, id: served, count: 0, loaded_at, source: "", switched_at: loaded_at };
    const kept = [
      ["current-snapshot", JSON.stringify(current)],
      [`block/${served}/0`, "{}"],
    ] as const;
    api.namespace = new Map([...kept, [`block/${orphaned}/0`, "{}"]]);
    const { store } = openRemoteStore("kv", { config });
    await store.write(next, [{ number: 1, text: "[]" }]);
    expect(await store.findMissingBlocks(next, [1, 2])).toEqual([2]);
    await store.sweep();
    expect([...api.namespace]).toEqual([...kept, [`block/${next}/1`, "[]"]]);
  });
});
