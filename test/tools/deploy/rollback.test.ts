import { describe, expect } from "vitest";
import { deployProduction, type RollbackOptions, rollBack } from "../../../tools/deploy/production.ts";
import { findEarlierVersion } from "../../../tools/deploy/served-version.ts";
import { test } from "./stub/fixture.ts";

describe("npm run rollback", () => {
  test("shows the versions, serves the earlier version, and waits for it at the given address", async ({
    platform,
    printed,
    dependencies,
  }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    await deployProduction({ skipChecks: true }, dependencies);
    platform.clearCalls();
    printed.length = 0;
    const { origin } = platform.account();
    expect(await rollBack({ url: origin }, dependencies)).toBe("version-1");
    expect(platform.calls()).toEqual([
      "wrangler deployments list --json",
      "wrangler versions list --json",
      "wrangler rollback version-1 --yes --message npm run rollback",
    ]);
    expect(printed).toEqual([
      "[1/3] choose the version",
      "      current version: version-2 tag-of-version-2 site: a login",
      "      version to serve: version-1 tag-of-version-1 site: a login",
      "[2/3] roll back",
      "[3/3] wait for this version",
      `      ${origin} serves version-1`,
    ]);
  });

  test("never returns to a version that was rolled back", async ({ platform, dependencies }) => {
    platform.change((account) => {
      account.versions = ["version-1", "version-2", "version-3"];
    });
    expect(await rollBack({}, dependencies)).toBe("version-2");
    expect(await rollBack({}, dependencies)).toBe("version-1");
    await expect(rollBack({}, dependencies)).rejects.toThrow("There is no version before the current one");
    expect(platform.account().versions.at(-1)).toBe("version-1");
  });

  test("serves the given version", async ({ platform, dependencies }) => {
    platform.change((account) => {
      account.versions = ["version-1", "version-2"];
    });
    expect(await rollBack({ version: "version-0" }, dependencies)).toBe("version-0");
    expect(platform.calls()).toContain("wrangler rollback version-0 --yes --message npm run rollback");
  });

  test.for([true, false])(
    "asks for confirmation before it rolls back (confirmed: %s)",
    async (answer, { platform, dependencies }) => {
      platform.change((account) => {
        account.versions = ["version-1", "version-2"];
      });
      const questions: string[] = [];
      const confirm: RollbackOptions["confirm"] = async (question) => {
        questions.push(question);
        return answer;
      };
      const before = platform.account().versions;
      expect(await rollBack({ confirm }, dependencies)).toBe(answer ? "version-1" : undefined);
      expect(questions).toEqual(["Serve version version-1?"]);
      expect(platform.account().versions).toEqual(answer ? [...before, "version-1"] : before);
    },
  );

  test("explains how to log in", async ({ platform, dependencies }) => {
    platform.change(({ failures }) => {
      failures["wrangler deployments"] = "it's necessary to set a CLOUDFLARE_API_TOKEN environment variable";
    });
    await expect(rollBack({}, dependencies)).rejects.toThrow(/variable\n\nLog in .*The token needs/s);
  });

  test("fails if nothing is deployed", async ({ dependencies }) => {
    await expect(rollBack({}, dependencies)).rejects.toThrow("The worker is not deployed.");
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

test.for<[history: string, earlier: string | undefined]>([
  ["a b", "a"],
  ["a b c", "b"],
  ["a b a", undefined],
  ["a b c b", "a"],
  ["a b a c", "a"],
  ["a b b", "a"],
  ["a", undefined],
  ["", undefined],
])("after the deployments %j, the earlier version is %s", ([history, earlier]) =>
  expect(findEarlierVersion(history.split(" ").filter((id) => id))).toBe(earlier),
);
