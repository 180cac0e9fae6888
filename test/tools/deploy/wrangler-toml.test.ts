import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { type Configuration, readConfiguration } from "../../../tools/data/stores/configuration.ts";
import { findAddress } from "../../../tools/deploy/upload.ts";
import { createFolder } from "../../temporary-folder.ts";

const { previews = {}, ...production } = await readConfiguration();

/** The names of all variables and bindings. Previews inherit the assets with their binding. */
function listNames({ vars, ...others }: Configuration): string[] {
  const settings = JSON.stringify({ assets: production.assets, ...others });
  const bound = [...settings.matchAll(/"(?:binding|name)":"([A-Z_0-9]+)"/g)].map(([, name]) => String(name));
  return [...Object.keys(vars ?? {}), ...bound].sort();
}

test("wrangler.toml sets all variables and bindings of src/bindings.ts, but only the binding of the store in STORE", () => {
  const [bindings] = /^export interface Env .*?^}/ms.exec(readFileSync("src/bindings.ts", "utf8"))!;
  const fields = bindings.matchAll(/^ {2}([A-Z_0-9]+)\?: /gm);
  const names = Array.from(fields, ([, name]) => String(name)).sort();
  expect(names).toEqual(expect.arrayContaining(["DB", "KV"]));
  expect(production.vars?.STORE).toBe("d1");
  expect(listNames(production)).toEqual(names.filter((name) => name !== "KV"));
  expect(previews.vars?.STORE).toBe("seed");
  expect(listNames(previews)).toEqual(names.filter((name) => name !== "KV" && name !== "DB"));
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
  writeFileSync(file, text.replaceAll(/^# (routes = .*|\[\[?[a-z_]+\]\]?|\w+ = ("[A-Z.]+"|\d+))$/gm, "$1"));
  const { routes, limits, kv_namespaces } = unstable_readConfig({ config: file });
  expect({ routes, limits, kv_namespaces }).toEqual({
    routes: [{ pattern: "counts.example", custom_domain: true }],
    limits: { cpu_ms: 1000 },
    // An id would select a different local namespace.
    kv_namespaces: [{ binding: "KV" }],
  });
});

test.each<[targets: string[] | undefined, address: string | undefined]>([
  [["https://a.workers.dev", "schedule: 0 * * * *"], "https://a.workers.dev"],
  [["https://a.workers.dev", "a.example (custom domain)"], "https://a.example"],
  [["https://a.workers.dev", "zähler.example (custom domain)"], "https://xn--zhler-gra.example"],
  [["https://a.workers.dev", "a.example (custom domain) [production: disabled]"], "https://a.workers.dev"],
  [["https://a.workers.dev", "a.example/tf1/*", "...and 2 more routes"], "https://a.workers.dev"],
  [["*.example/* (zone name: example)"], undefined],
])("of the targets %j, the deployment tests %s", (targets, address) =>
  expect(findAddress(targets)).toBe(address),
);
