import { describe, expect } from "vitest";
import { deployProduction, rollBack } from "../../../tools/deploy/production.ts";
import { test } from "./stub/fixture.ts";

describe("npm run rollback", () => {
  test("serves the previous version and waits for it at the given address", async ({
    platform,
    printed,
    dependencies,
  }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    await deployProduction({ skipChecks: true }, dependencies);
    platform.clearCalls();
    expect(await rollBack({ url: platform.account().origin }, dependencies)).toBe("version-1");
    expect(platform.calls()).toEqual([
      "wrangler rollback --yes --message npm run rollback",
      "wrangler deployments status --json",
    ]);
    expect(printed.at(-1)).toBe(`      ${platform.account().origin} serves version-1`);
  });

  test("serves the given version", async ({ platform, dependencies }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    await deployProduction({ skipChecks: true }, dependencies);
    expect(await rollBack({ version: "version-0" }, dependencies)).toBe("version-0");
    expect(platform.calls()).toContain("wrangler rollback version-0 --yes --message npm run rollback");
  });

  test("explains how to log in", async ({ platform, dependencies }) => {
    platform.change(({ failures }) => {
      failures["wrangler rollback"] = "it's necessary to set a CLOUDFLARE_API_TOKEN environment variable";
    });
    await expect(rollBack({}, dependencies)).rejects.toThrow(/variable\n\nLog in .*The token needs/s);
  });

  test("explains how to list the versions if there is no previous version", async ({ dependencies }) => {
    await expect(rollBack({}, dependencies)).rejects.toThrow(/rollback to\n\nTo list the versions/);
  });

  test("does not advise to run the same command again after an interruption", async ({ dependencies }) => {
    let message = "";
    await rollBack(
      {},
      {
        ...dependencies,
        onStart(steps) {
          message = steps.describeInterruption();
        },
      },
    ).catch(() => {});
    expect(message).toContain("`npx wrangler deployments status`");
    expect(message).not.toContain("Run the same command again");
  });
});
