import { describe, expect } from "vitest";
import { deployProduction } from "../../../tools/deploy/production.ts";
import { rollBack } from "../../../tools/deploy/rollback.ts";
import { test } from "./stub/rehearsal.ts";

describe("npm run rollback", () => {
  test("goes back to the version before, and waits for it where it may", async ({
    platform,
    rehearsal,
    surroundings,
  }) => {
    await deployProduction({ skipChecks: true }, surroundings);
    await deployProduction({ skipChecks: true }, surroundings);
    platform.forgetCalls();
    expect(await rollBack({ url: platform.account().origin }, surroundings)).toBe("version-1");
    expect(platform.calls()).toEqual([
      "wrangler rollback --yes --message npm run rollback",
      "wrangler deployments status --json",
    ]);
    expect(rehearsal.said.at(-1)).toBe(`      ${platform.account().origin} answers with version-1`);
  });

  test("goes to the version that it is given", async ({ platform, surroundings }) => {
    await deployProduction({ skipChecks: true }, surroundings);
    await deployProduction({ skipChecks: true }, surroundings);
    expect(await rollBack({ version: "version-0" }, surroundings)).toBe("version-0");
    expect(platform.calls()).toContain("wrangler rollback version-0 --yes --message npm run rollback");
  });

  test("says what to set if nobody is logged in", async ({ platform, surroundings }) => {
    platform.change(({ failing }) => {
      failing["wrangler rollback"] = "it's necessary to set a CLOUDFLARE_API_TOKEN environment variable";
    });
    await expect(rollBack({}, surroundings)).rejects.toThrow(/variable\n\nLog in .*the token needs/s);
  });

  test("says how to choose if there is none", async ({ surroundings }) => {
    await expect(rollBack({}, surroundings)).rejects.toThrow(/rollback to\n\n`npx wrangler versions list`/);
  });
});
