import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { experimental_generateTypes, unstable_readConfig } from "wrangler";
import { readWranglerToml } from "../../../tools/deploy/config-file.ts";
import { createFolder } from "../../temporary-folder.ts";

const configuration = await readWranglerToml(".");

/** The fields of an interface, such as `KV: KVNamespace`. */
function readFields(source: string): string[] {
  const [, body = ""] = /interface \w*Env\w* \{(.*?)^\}/ms.exec(source) ?? [];
  return [...body.matchAll(/^\s*(\w+)\??: (\w+);/gm)].map(([, name, type]) => `${name}: ${type}`).sort();
}

/** What `wrangler types` generates for variables and bindings. */
async function generateFields(settings: object): Promise<string[]> {
  const { name, compatibility_date, compatibility_flags } = configuration;
  const file = join(createFolder(), "wrangler.json");
  const main = resolve("src/index.ts");
  writeFileSync(file, JSON.stringify({ name, compatibility_date, compatibility_flags, ...settings, main }));
  const options = { includeRuntime: false, includeMainModule: false, strictVars: false };
  const { env } = await experimental_generateTypes({
    config: file,
    path: join(createFolder(), "env.d.ts"),
    ...options,
  });
  return readFields(String(env));
}

test("src/env.ts has the variables and bindings that wrangler.toml gives production and previews", async () => {
  const { build: _, previews, ...production } = configuration;
  const fields = readFields(readFileSync("src/env.ts", "utf8"));
  expect(fields).toContain("KV: KVNamespace");
  expect(await generateFields(production)).toEqual(fields);
  // Previews inherit the assets with their binding.
  expect(await generateFields({ assets: production.assets, ...previews })).toEqual(fields);
});

test("previews share no resource and no rate limit with production or with each other", () => {
  const { previews } = configuration;
  expect(previews?.d1_databases).toEqual([{ binding: "DB", migrations_dir: "data/migrations" }]);
  expect(previews?.kv_namespaces).toEqual([{ binding: "KV" }]);
  expect(previews?.ratelimits?.[0]?.namespace_id).not.toBe(configuration.ratelimits?.[0]?.namespace_id);
});

test("the worker and its previews are on workers.dev, without the limit that the free plan does not allow", () =>
  expect(unstable_readConfig({ config: "wrangler.toml" })).toMatchObject({
    workers_dev: true,
    preview_urls: true,
    limits: undefined,
  }));
