import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { unstable_getVarsForDev } from "wrangler";
import { readConfiguration, requireValidSettings } from "../../../../tools/data/stores/configuration.ts";
import { createFolder } from "../../../support/temporary-folder.ts";

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

  test.each([
    ["own.jsonc", "its name must end in .toml"],
    ["own", "its name must end in .toml"],
    ["none.toml", "none.toml cannot be read: it does not exist"],
  ])("with the name %s is refused: %s", (name, message) =>
    expect(readConfiguration(join(folder, name))).rejects.toThrow(message),
  );
});

test("invalid settings are refused, in production and in previews", async () => {
  const configuration = await readConfiguration();
  const { vars, previews } = configuration;
  const inProduction = (change: object) => () =>
    requireValidSettings({ ...configuration, vars: { ...vars, ...change } });
  const inPreviews = (change: object) => () =>
    requireValidSettings({
      ...configuration,
      previews: { ...previews, vars: { ...previews?.vars, ...change } },
    });
  for (const check of [inProduction, inPreviews]) {
    expect(check({})).not.toThrow();
    expect(check({ RATE_LIMIT: "off", PUBLIC_ORIGIN: "https://A.example/" })).not.toThrow();
    expect(check({ PUBLIC_ORIGIN: "counts.example" })).toThrow('PUBLIC_ORIGIN is "counts.example"');
    expect(check({ PREFER: "x" })).toThrow('PREFER is "x"');
  }
  expect(inProduction({ RATE_LIMIT: "10" })).toThrow(
    'RATE_LIMIT is "10", but the period in [[ratelimits]] is 60',
  );
  expect(inPreviews({ RATE_LIMIT: "10" })).toThrow('"10", but the period in [[previews.ratelimits]] is 60');
  expect(inProduction({ STORE: "kv" })).toThrow("no [[kv_namespaces]] binds KV");
  // Wrangler requires `simple` only later.
  const ratelimits = Object([{ name: "RATE_LIMITER", namespace_id: "1001" }]);
  const unlimited = { ...configuration, ratelimits, vars: { ...vars, RATE_LIMIT: "off" } };
  expect(() => requireValidSettings(unlimited)).not.toThrow();
  const withoutBinding = {
    ...configuration,
    vars: { ...vars, STORE: "seed" },
    assets: { directory: "dist" },
  };
  expect(() => requireValidSettings(withoutBinding)).toThrow("does not bind ASSETS");
  expect(inPreviews({ STORE: "d1" })).toThrow("no [[d1_databases]] binds DB");
});
