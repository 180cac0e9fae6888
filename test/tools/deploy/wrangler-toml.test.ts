import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Unstable_RawConfig as RawConfig, unstable_readConfig } from "wrangler";
import { readConfiguration } from "../../../data/stores/configuration.ts";
import { findAddress } from "../../../tools/deploy/upload.ts";

const configuration = (await readConfiguration()) as RawConfig;
const { previews = {}, assets } = configuration;

/** The names of all variables and bindings. */
function listNames({ vars, d1_databases, kv_namespaces, ratelimits, ...others }: RawConfig): string[] {
  const bindings = [d1_databases, kv_namespaces, others.assets, others.version_metadata].flat();
  const limiters = ratelimits?.map(({ name }) => name) ?? [];
  const bound = bindings.flatMap((one) => (one?.binding === undefined ? [] : [String(one.binding)]));
  return [...Object.keys(vars ?? {}), ...limiters, ...bound].sort();
}

test("wrangler.toml gives production and previews what src/env.ts has, but only the store that STORE names", () => {
  const fields = [...readFileSync("src/env.ts", "utf8").matchAll(/^ {2}([A-Z_0-9]+)\??: /gm)];
  const names = fields.map(([, name]) => String(name)).sort();
  expect(names).toEqual(expect.arrayContaining(["DB", "KV"]));
  expect([configuration.vars?.STORE, listNames(configuration)]).toEqual([
    "d1",
    names.filter((name) => name !== "KV"),
  ]);
  // Previews inherit the assets with their binding.
  expect([previews.vars?.STORE, listNames({ ...previews, ...(assets && { assets }) })]).toEqual([
    "seed",
    names.filter((name) => name !== "KV" && name !== "DB"),
  ]);
});

test("previews share no rate limit with production", () =>
  expect(previews.ratelimits?.[0]?.namespace_id).not.toBe(configuration.ratelimits?.[0]?.namespace_id));

test.each([configuration, previews])(
  "one address may send 1,000 requests a minute: %#",
  ({ vars, ratelimits }) => {
    expect(vars?.RATE_LIMIT).toBe("60");
    expect(ratelimits).toMatchObject([{ name: "RATE_LIMITER", simple: { limit: 1000, period: 60 } }]);
  },
);

test("only failures are logged", () =>
  expect(configuration.observability).toEqual({
    enabled: true,
    logs: { enabled: true, invocation_logs: false },
  }));

test("the worker is on workers.dev, without cron triggers and without the limit that the free plan does not allow", () =>
  expect(unstable_readConfig({ config: "wrangler.toml" })).toMatchObject({
    workers_dev: true,
    preview_urls: true,
    limits: undefined,
    triggers: { crons: undefined },
  }));

test.each<[targets: string[] | undefined, address: string | undefined]>([
  [["https://a.workers.dev", "schedule: 0 * * * *"], "https://a.workers.dev"],
  [["https://a.workers.dev", "a.example (custom domain)"], "https://a.example"],
  [["a.example/* (zone name: a.example)"], "https://a.example"],
  [["*.example/* (zone name: example)"], undefined],
  [undefined, undefined],
])("of the targets %j, the deployment tests %s", (targets, address) =>
  expect(findAddress(targets)).toBe(address),
);
