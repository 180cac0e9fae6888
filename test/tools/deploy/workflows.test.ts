import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createFolder } from "../../temporary-folder.ts";

interface Job {
  if?: string;
  environment?: string | { name: string };
  steps?: { run?: string; env?: Record<string, string> }[];
}

const files = globSync(".github/{workflows,actions/*}/*.yml").sort();

/** Collects the values of a field at any depth. */
function collectValues(field: string, tree: unknown): string[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    name === field && typeof value === "string" ? [value] : collectValues(field, value),
  );
}

describe.each(files)("%s", (file) => {
  const text = readFileSync(file, "utf8");
  const tree = parse(text);
  const scripts = collectValues("run", tree);
  const uses = collectValues("uses", tree);

  test("has scripts without syntax errors, which get values as variables", () => {
    for (const input of scripts) {
      expect(spawnSync("bash", ["-n"], { input, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
      expect(input).not.toContain("${{");
    }
  });

  test("refers to files that exist", () => {
    for (const path of uses.filter((path) => path.startsWith("./")))
      expect(existsSync(path.endsWith(".yml") ? path : `${path}/action.yml`), path).toBe(true);
  });

  test("pins actions to commits, with the release in a comment, and installs only exact versions", () => {
    const pinned = /^ *(- )?uses: (\.\/\S+|actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/gm;
    expect([...text.matchAll(pinned)]).toHaveLength(uses.length);
    const installer = /\b(npm (i|in|ins|inst|install|add|exec|x)|npx(?! wrangler )|pnpm|yarn|bunx?)\b/;
    for (const line of scripts.flatMap((script) => script.split("\n")).filter((line) => installer.test(line)))
      expect(line).toMatch(/^npm install --global npm@\d+\.\d+\.\d+$/);
  });
});

test.each([
  ["main.yml", "deploy", "production"],
  ["pull-request.yml", "preview", "preview"],
  ["branch-deleted.yml", "remove", "preview"],
])("%s takes the token of job %s from the environment %s, if there is an account", (file, name, expected) => {
  const job: Job = parse(readFileSync(`.github/workflows/${file}`, "utf8")).jobs[name];
  const { environment } = job;
  expect(typeof environment === "object" ? environment.name : environment).toBe(expected);
  expect(job.steps?.at(-1)?.env).toHaveProperty("CLOUDFLARE_API_TOKEN");
  expect(job.if).toContain("vars.CLOUDFLARE_ACCOUNT_ID != ''");
  // Dependabot gets variables, but no secrets.
  if (expected === "preview") expect(job.if).toContain("github.actor != 'dependabot[bot]'");
});

test("no other workflow gets a token", () => {
  const withToken = files.filter((file) => readFileSync(file, "utf8").includes("secrets.CLOUDFLARE"));
  expect(withToken.map((file) => basename(file))).toEqual([
    "branch-deleted.yml",
    "main.yml",
    "pull-request.yml",
  ]);
});

describe("the removal of a deleted branch's preview", () => {
  const { jobs } = parse(readFileSync(".github/workflows/branch-deleted.yml", "utf8"));
  const script = jobs.remove.steps.at(-1).run.replaceAll("npx wrangler", "wrangler");

  test.each([
    ["succeeds", "echo deleted", 0],
    ["succeeds if there is no preview", "echo 'not found [code: 10025]'; exit 1", 0],
    ["fails if wrangler fails for another reason", "echo 'no [code: 10000]' >&2; exit 1", 1],
  ])("%s", (_, wrangler, status) => {
    const input = `set -eo pipefail\nwrangler() (\n${wrangler}\n)\n${script}`;
    const env = { ...process.env, BRANCH: "a" };
    expect(spawnSync("bash", { input, cwd: createFolder(), env }).status).toBe(status);
  });
});
