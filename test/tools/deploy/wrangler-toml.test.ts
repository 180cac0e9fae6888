import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { type Configuration, readConfiguration } from "../../../tools/data/stores/configuration.ts";
import { createFolder } from "../../support/temporary-folder.ts";

const { previews = {}, ...production } = await readConfiguration();
const BOTH = "CF_VERSION_METADATA FAULTS PREFER PUBLIC_ORIGIN RATE_LIMIT RATE_LIMITER STORE".split(" ");

/** The names of all variables and bindings. Previews inherit the assets with their binding. */
function listNames({ vars, assets: _, ...others }: Configuration): string[] {
  const bound = [...JSON.stringify(others).matchAll(/"(?:binding|name)":"([A-Z_0-9]+)"/g)];
  return [...Object.keys(vars ?? {}), ...bound.map(([, name]) => String(name))].sort();
}

test("production and previews have every setting, but only the binding of their store", () => {
  expect([production.vars?.STORE, previews.vars?.STORE]).toEqual(["d1", "seed"]);
  expect(listNames(previews)).toEqual(BOTH);
  expect(listNames(production)).toEqual([...BOTH, "DB"].sort());
});

test("one address may send 1,000 requests a minute, separately to previews and production", () => {
  const ids = [production, previews].map(({ vars, ratelimits = [] }) => {
    expect(vars?.RATE_LIMIT).toBe("60");
    expect(ratelimits).toMatchObject([{ name: "RATE_LIMITER", simple: { limit: 1000, period: 60 } }]);
    return Object(ratelimits[0]).namespace_id;
  });
  expect(new Set(ids).size).toBe(2);
});

test("the platform logs failures and no requests", () => {
  const { observability } = unstable_readConfig({ config: "wrangler.toml" });
  expect(observability).toMatchObject({ enabled: true, logs: { enabled: true, invocation_logs: false } });
});

test("the commented-out lines of wrangler.toml have the described effects", () => {
  const file = join(createFolder(), "wrangler.toml");
  const text = readFileSync("wrangler.toml", "utf8");
  writeFileSync(file, text.replaceAll(/^# (\[\[[a-z_]+\]\]|\w+ = ("\w+"|[[{].*))$/gm, "$1"));
  const { routes, limits, kv_namespaces } = unstable_readConfig({ config: file });
  expect({ routes, limits, kv_namespaces }).toEqual({
    routes: [{ pattern: "counts.example", custom_domain: true }],
    limits: { cpu_ms: 1000 },
    // An id would select a different local namespace.
    kv_namespaces: [{ binding: "KV" }],
  });
});
