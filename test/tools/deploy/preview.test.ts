import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import type { Published } from "../../../tools/deploy/version.ts";
import { firstCalls, test } from "./stub/rehearsal.ts";

describe("npm run preview", () => {
  const OWN = "traffic-count-records-preview-feature-login-df7c7a";
  const NAME = "--name feature-login-df7c7a --worker-name traffic-count-records";

  test("gives the branch that is checked out an address and stores of its own", async ({
    platform,
    rehearsal,
    surroundings,
  }) => {
    const { origin } = platform.account();
    expect(await deployPreview({}, surroundings)).toMatchObject({ address: origin });
    const deploy = `wrangler preview --config FILE --ignore-base-config ${NAME}`;
    expect(platform.calls()).toEqual(firstCalls(rehearsal, OWN, deploy));
    expect(rehearsal.said).toContain(`      ${origin} answers with version-1`);
  });

  test("leaves production and other previews alone, also when it is removed", async ({
    platform,
    surroundings,
  }) => {
    await deployProduction({ skipChecks: true }, surroundings);
    await deployPreview({ skipChecks: true, branch: "other" }, surroundings);
    const before = platform.account();
    await deployPreview({ skipChecks: true }, surroundings);
    expect(platform.account().databases.map(({ name }) => name)).toEqual([
      "traffic-count-records",
      "traffic-count-records-preview-other",
      OWN,
    ]);
    platform.forgetCalls();
    await deletePreview({}, surroundings);
    expect(platform.calls()).toEqual([
      `wrangler preview delete ${NAME} --skip-confirmation`,
      "wrangler d1 list --json",
      `wrangler d1 delete ${OWN} --skip-confirmation`,
      "wrangler kv namespace list",
      `wrangler kv namespace delete --namespace-id id-of-${OWN}-kv --skip-confirmation`,
    ]);
    const { databases, namespaces, previews } = platform.account();
    expect({ databases, namespaces, previews }).toEqual({
      databases: before.databases,
      namespaces: before.namespaces,
      previews: ["other"],
    });
  });

  test("removes what is left of it, and what is gone no more", async ({ rehearsal, surroundings }) => {
    await deletePreview({ branch: "main" }, surroundings);
    expect(rehearsal.said).toEqual([
      "[1/3] remove the preview main",
      "      it is gone already",
      "[2/3] remove its database",
      "      the database traffic-count-records-preview-main is gone already",
      "[3/3] remove its namespace",
      "      the namespace traffic-count-records-preview-main-kv is gone already",
    ]);
  });

  test.for<[call: string, step: number]>([
    ["wrangler preview delete", 1],
    ["wrangler d1 delete", 2],
    ["wrangler kv namespace delete", 3],
  ])("is removed in two goes if `%s` fails", async ([call, step], { platform, surroundings }) => {
    await deployPreview({ skipChecks: true }, surroundings);
    platform.change(({ failing }) => {
      failing[call] = "broken";
    });
    await expect(deletePreview({}, surroundings)).rejects.toThrow(
      new RegExp(`^Step ${step} of 3 failed: .*broken.*Run it again`, "s"),
    );
    platform.change((account) => {
      account.failing = {};
    });
    await deletePreview({}, surroundings);
    expect(platform.account()).toMatchObject({ databases: [], namespaces: [], previews: [] });
  });

  test("tells its address even if the HTTP suite then fails", async ({ platform, surroundings }) => {
    platform.change(({ failing }) => {
      failing["npm run test:live"] = "broken";
    });
    const told: string[] = [];
    const onPublish = ({ address }: Published) => void told.push(address);
    await expect(deployPreview({ skipChecks: true }, { ...surroundings, onPublish })).rejects.toThrow(
      "run the HTTP suite",
    );
    expect(told).toEqual([platform.account().origin]);
  });

  test("outside of a repository says which option names the branch", async ({ rehearsal, surroundings }) => {
    await rm(join(rehearsal.repository, ".git"), { recursive: true });
    await expect(deployPreview({}, surroundings)).rejects.toThrow(
      /^There is no git repository here, .*: say which branch with --branch\.$/,
    );
    await expect(deployPreview({ branch: "main" }, surroundings)).rejects.toThrow(
      /check the code\.\nThere is no git repository here, /,
    );
    await deployPreview({ branch: "main", skipChecks: true }, surroundings);
  });

  test("needs a branch", async ({ rehearsal, surroundings }) => {
    execFileSync("git", ["checkout", "--quiet", "--detach"], { cwd: rehearsal.repository });
    await expect(deployPreview({}, surroundings)).rejects.toThrow("say which with --branch");
    await deployPreview({ branch: "main", skipChecks: true }, surroundings);
  });
});
