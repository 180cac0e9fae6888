import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { deleteOtherPreviews, deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import type { Deployed } from "../../../tools/deploy/worker-version.ts";
import { firstCalls, test } from "./stub/fixture.ts";

describe("npm run preview", () => {
  const RESOURCE_NAME = "traffic-count-records-preview-77df07-feature-login-df7c7a";
  const NAME_OPTIONS = "--name feature-login-df7c7a --worker-name traffic-count-records";

  test("deploys the branch that is checked out to its own address, with its own stores", async ({
    platform,
    fixture,
    dependencies,
  }) => {
    const { origin } = platform.account();
    expect(await deployPreview({}, dependencies)).toMatchObject({ address: origin });
    const deploy = `wrangler preview --config FILE --ignore-base-config ${NAME_OPTIONS}`;
    expect(platform.calls()).toEqual(firstCalls(fixture, RESOURCE_NAME, [deploy]));
    expect(fixture.printed).toContain(`      ${origin} serves version-1`);
  });

  test("does not change production or other previews, neither when it is deployed nor when it is removed", async ({
    platform,
    dependencies,
  }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    await deployPreview({ skipChecks: true, branch: "other" }, dependencies);
    const before = platform.account();
    await deployPreview({ skipChecks: true }, dependencies);
    expect(platform.account().databases.map(({ name }) => name)).toEqual([
      "traffic-count-records",
      "traffic-count-records-preview-77df07-other",
      RESOURCE_NAME,
    ]);
    platform.clearCalls();
    await deletePreview({}, dependencies);
    expect(platform.calls()).toEqual([
      `wrangler preview delete ${NAME_OPTIONS} --skip-confirmation`,
      "wrangler d1 list --json",
      `wrangler d1 delete ${RESOURCE_NAME} --skip-confirmation`,
      "wrangler kv namespace list",
      `wrangler kv namespace delete --namespace-id id-of-${RESOURCE_NAME} --skip-confirmation`,
    ]);
    const { databases, namespaces, previews } = platform.account();
    expect({ databases, namespaces, previews }).toEqual({
      databases: before.databases,
      namespaces: before.namespaces,
      previews: ["other"],
    });
  });

  test("is removed if its branch is not among the branches to keep, even if only a part of it is left", async ({
    platform,
    printed,
    dependencies,
  }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    for (const branch of ["feature/login", "main"])
      await deployPreview({ skipChecks: true, branch }, dependencies);
    platform.change(({ databases, namespaces }) => {
      databases.push({ uuid: "1", name: "traffic-count-records-preview-77df07-gone" });
      databases.push({ uuid: "2", name: "another-preview-gone" });
      namespaces.push({ id: "3", title: "traffic-count-records-preview-77df07-gone-too" });
    });
    printed.length = 0;
    await deleteOtherPreviews(async () => ["feature/login", "new"], dependencies);
    expect(printed.slice(0, 3)).toEqual([
      "[1/2] find the previews of other branches",
      "      gone, gone-too, main",
      "[2/2] remove these previews",
    ]);
    const { databases, namespaces, previews } = platform.account();
    expect(previews).toEqual(["feature-login-df7c7a"]);
    expect(databases.map(({ name }) => name)).toEqual([
      "traffic-count-records",
      RESOURCE_NAME,
      "another-preview-gone",
    ]);
    expect(namespaces.map(({ title }) => title)).toEqual(["traffic-count-records-kv", `${RESOURCE_NAME}`]);
  });

  test("skips missing parts when it removes a preview", async ({ printed, dependencies }) => {
    await deletePreview({ branch: "main" }, dependencies);
    expect(printed).toEqual([
      "[1/3] remove the preview main",
      "      the preview does not exist",
      "[2/3] remove its database",
      "      the database traffic-count-records-preview-77df07-main does not exist",
      "[3/3] remove its namespace",
      "      the namespace traffic-count-records-preview-77df07-main does not exist",
    ]);
  });

  test.for<[call: string, step: number]>([
    ["wrangler preview delete", 1],
    ["wrangler d1 delete", 2],
    ["wrangler kv namespace delete", 3],
  ])(
    "is removed by a second run if `%s` fails in the first run",
    async ([call, step], { platform, dependencies }) => {
      await deployPreview({ skipChecks: true }, dependencies);
      platform.change(({ failures }) => {
        failures[call] = "broken";
      });
      await expect(deletePreview({}, dependencies)).rejects.toThrow(
        new RegExp(`^Step ${step} of 3 failed: .*broken.*Run the command again`, "s"),
      );
      platform.change((account) => {
        account.failures = {};
      });
      await deletePreview({}, dependencies);
      expect(platform.account()).toMatchObject({ databases: [], namespaces: [], previews: [] });
    },
  );

  test("reports its address even if the HTTP tests fail", async ({ platform, dependencies }) => {
    platform.change(({ failures }) => {
      failures["npm run test:live"] = "broken";
    });
    const reported: string[] = [];
    const onDeployed = ({ address }: Deployed) => void reported.push(address);
    await expect(deployPreview({ skipChecks: true }, { ...dependencies, onDeployed })).rejects.toThrow(
      "run the HTTP tests",
    );
    expect(reported).toEqual([platform.account().origin]);
  });

  test("requires --branch outside of a git repository", async ({ fixture, dependencies }) => {
    await rm(join(fixture.repository, ".git"), { recursive: true });
    await expect(deployPreview({}, dependencies)).rejects.toThrow(
      / is not in a git repository, or git is not installed\. Name the branch with --branch\.$/,
    );
    await expect(deployPreview({ branch: "main" }, dependencies)).rejects.toThrow(
      /check the code\.\n.* is not in a git repository/,
    );
    await deployPreview({ branch: "main", skipChecks: true }, dependencies);
  });

  test("requires --branch if no branch is checked out", async ({ fixture, dependencies }) => {
    execFileSync("git", ["checkout", "--quiet", "--detach"], { cwd: fixture.repository });
    await expect(deployPreview({}, dependencies)).rejects.toThrow(
      "No branch is checked out. Name the branch with --branch.",
    );
    await deployPreview({ branch: "main", skipChecks: true }, dependencies);
  });
});
