import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Unstable_RawConfig as RawConfig, unstable_readConfig } from "wrangler";
import { readWranglerToml } from "../../../tools/deploy/config-file.ts";

const configuration = await readWranglerToml(".");
const { previews = {}, assets } = configuration;

/** The names of all variables and bindings. */
function listNames({ vars, d1_databases, kv_namespaces, ratelimits, ...others }: RawConfig): string[] {
  const bindings = [d1_databases, kv_namespaces, others.assets, others.version_metadata].flat();
  const limiters = ratelimits?.map(({ name }) => name) ?? [];
  return [...Object.keys(vars ?? {}), ...limiters, ...bindings.map((one) => String(one?.binding))].sort();
}

test("src/env.ts has the variables and bindings that wrangler.toml gives production and previews", () => {
  const fields = [...readFileSync("src/env.ts", "utf8").matchAll(/^ {2}([A-Z_0-9]+)\??: /gm)];
  const names = fields.map(([, name]) => name).sort();
  expect(names).toContain("KV");
  expect(listNames(configuration)).toEqual(names);
  // Previews inherit the assets with their binding.
  expect(listNames({ ...previews, ...(assets && { assets }) })).toEqual(names);
});

test("previews share no resource and no rate limit with production or with each other", () => {
  expect(previews.d1_databases).toEqual([{ binding: "DB", migrations_dir: "data/migrations" }]);
  expect(previews.kv_namespaces).toEqual([{ binding: "KV" }]);
  expect(previews.ratelimits?.[0]?.namespace_id).not.toBe(configuration.ratelimits?.[0]?.namespace_id);
});

test("the worker and its previews are on workers.dev, without the limit that the free plan does not allow", () =>
  expect(unstable_readConfig({ config: "wrangler.toml" })).toMatchObject({
    workers_dev: true,
    preview_urls: true,
    limits: undefined,
  }));
