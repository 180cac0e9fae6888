import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queryD1 } from "../../../data/targets/d1/database.ts";
import { runKv } from "../../../data/targets/kv/namespace.ts";
import { measureDatabase, measureNamespace } from "../../../data/targets/local-size.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "local-size-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A configuration whose resources have ids, as that of a deployment has. */
async function configure(): Promise<string> {
  const config = join(folder, "deployed.json");
  const d1_databases = [{ binding: "DB", database_name: "counts", database_id: "a-database" }];
  const kv_namespaces = [{ binding: "KV", id: "a-namespace" }];
  await writeFile(config, JSON.stringify({ name: "deployed", d1_databases, kv_namespaces }));
  return config;
}

test.each(["wrangler.toml", "with ids"])("what is kept on this machine is measured: %s", async (kind) => {
  const config = kind === "with ids" ? await configure() : undefined;
  const place = { config, persistTo: join(folder, kind) };
  expect([await measureDatabase(place), await measureNamespace(place)]).toEqual([undefined, undefined]);
  await queryD1(["CREATE TABLE some AS SELECT hex(zeroblob(50000)) AS text"], place);
  await runKv(["key", "put", "some", "x".repeat(50_000)], place);
  expect(await measureDatabase(place)).toBeGreaterThan(100_000);
  expect(await measureNamespace(place)).toBe(50_000);
});

test("what is deployed is not looked for here", async () => {
  const place = { remote: true };
  expect([await measureDatabase(place), await measureNamespace(place)]).toEqual([undefined, undefined]);
});
