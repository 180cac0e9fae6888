import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { unstable_getVarsForDev, unstable_readConfig } from "wrangler";
import {
  type Configuration,
  readConfiguration,
  requireSamePeriods,
} from "../../../tools/data/stores/configuration.ts";
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

test("a rate limit whose setting has another period is refused, in production and in previews", () => {
  const configuration = { ...production, previews };
  const vars = { RATE_LIMIT: "10" };
  const check = (change: object) => () => requireSamePeriods({ ...configuration, ...change });
  expect(check({})).not.toThrow();
  expect(check({ vars: { RATE_LIMIT: "off" } })).not.toThrow();
  expect(check({ vars })).toThrow('RATE_LIMIT in [vars] is "10"');
  expect(check({ previews: { ...previews, vars } })).toThrow('RATE_LIMIT in [previews.vars] is "10"');
});

describe("a configuration", () => {
  const folder = createFolder();
  const config = join(folder, "wrangler.toml");
  cpSync("wrangler.toml", config);

  test.each([
    ["PREFER=code=503", true],
    ["  export PREFER = 'code=503' # comment", true],
    ["PREFER: code=503", true],
    ["\uFEFFPREFER=code=503", true],
    ["OTHER=1\r\nPREFER=code=503", true],
    ["PREFER\n=code=503", true],
    ["# PREFER=code=503", false],
    ["OTHER=PREFER=code=503", false],
    ["PREFER:code=503", false],
    ["PREFERRED=code=503", false],
  ])("is refused if wrangler itself reads PREFER in a file beside it: in %j, %s", async (text, isRead) => {
    for (const name of [".dev.vars", ".env", ".env.local"]) {
      const file = join(folder, name);
      writeFileSync(file, text);
      expect("PREFER" in unstable_getVarsForDev(config, undefined, {}, undefined, true)).toBe(isRead);
      const reading = readConfiguration(config).then(
        () => "accepted",
        ({ message }) => message,
      );
      expect(await reading).toContain(isRead ? `${file} sets PREFER` : "accepted");
      rmSync(file);
    }
  });

  test.each(["CLOUDFLARE_ENV", "CLOUDFLARE_INCLUDE_PROCESS_ENV"])("is refused if %s is set", async (name) => {
    writeFileSync(join(folder, ".env"), `${name}=true`);
    await expect(readConfiguration(config)).rejects.toThrow(`.env sets ${name}`);
    rmSync(join(folder, ".env"));
    vi.stubEnv(name, "true");
    await expect(readConfiguration(config)).rejects.toThrow(`The environment variable ${name} is set`);
  });

  test.each(["own.jsonc", "own.json", "own"])("with the name %s is refused, because it is not TOML", (name) =>
    expect(readConfiguration(join(folder, name))).rejects.toThrow("its name must end in .toml"),
  );
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
