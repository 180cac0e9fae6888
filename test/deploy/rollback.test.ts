import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deployProduction } from "../../deploy/production.ts";
import type { Surroundings } from "../../deploy/release.ts";
import { rollBack } from "../../deploy/rollback.ts";
import type { Platform } from "./stub/platform.ts";
import { type Rehearsal, startRehearsal } from "./stub/rehearsal.ts";

let rehearsal: Rehearsal;
let platform: Platform;
let surroundings: Surroundings;
beforeEach(async () => {
  rehearsal = await startRehearsal();
  ({ platform, surroundings } = rehearsal);
});
afterEach(() => rehearsal?.close());

describe("npm run rollback", () => {
  test("goes back to the version before, and waits for it where it may", async () => {
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

  test("goes to the version that it is given", async () => {
    await deployProduction({ skipChecks: true }, surroundings);
    await deployProduction({ skipChecks: true }, surroundings);
    expect(await rollBack({ version: "version-0" }, surroundings)).toBe("version-0");
    expect(platform.calls()).toContain("wrangler rollback version-0 --yes --message npm run rollback");
  });

  test("says what to set if nobody is logged in", async () => {
    platform.change(({ failing }) => {
      failing["wrangler rollback"] = "it's necessary to set a CLOUDFLARE_API_TOKEN environment variable";
    });
    await expect(rollBack({}, surroundings)).rejects.toThrow(/variable\n\nLog in .*the token needs/s);
  });

  test("says how to choose if there is none", async () => {
    await expect(rollBack({}, surroundings)).rejects.toThrow(/rollback to\n\n`npx wrangler versions list`/);
  });
});
