import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { unstable_getVarsForDev } from "wrangler";
import { readConfiguration, requireSamePeriods } from "../../../../tools/data/stores/configuration.ts";
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

test("a rate limit whose setting has another period is refused, in production and in previews", async () => {
  const configuration = await readConfiguration();
  const vars = { RATE_LIMIT: "10" };
  const check = (change: object) => () => requireSamePeriods({ ...configuration, ...change });
  expect(check({})).not.toThrow();
  expect(check({ vars: { RATE_LIMIT: "off" } })).not.toThrow();
  expect(check({ vars })).toThrow('RATE_LIMIT in [vars] is "10"');
  expect(check({ previews: { ...configuration.previews, vars } })).toThrow(
    'RATE_LIMIT in [previews.vars] is "10"',
  );
});
