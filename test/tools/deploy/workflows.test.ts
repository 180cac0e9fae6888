import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createFolder } from "../../temporary-folder.ts";

type Job = Partial<Record<"if" | "environment" | "runs-on" | "permissions", unknown>> & { steps?: unknown[] };

const DOCS = readFileSync("docs/deploying.md", "utf8");

/** Collects the values of a field at any depth. */
function collectValues(field: string, tree: unknown): string[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    name === field && typeof value === "string" ? [value] : collectValues(field, value),
  );
}

const files = globSync(".github/{workflows,actions/*}/*.yml").sort();

const listJobs = () =>
  files.flatMap((file) => Object.entries<Job>(parse(readFileSync(file, "utf8")).jobs ?? {}));

describe.each(files)("%s", (file) => {
  const text = readFileSync(file, "utf8");
  const tree = parse(text);
  const scripts = collectValues("run", tree);
  const uses = collectValues("uses", tree);

  test("has scripts without syntax errors, and passes values to them as variables", () => {
    for (const input of scripts) {
      expect(spawnSync("bash", ["-n"], { input, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
      expect(input).not.toContain("${{");
    }
  });

  test("refers to files that exist", () => {
    const actions = uses.filter((path) => path.startsWith("./"));
    const tests = scripts.flatMap((script) => script.match(/\btest\/[\w/.-]+/g) ?? []);
    expect([...actions, ...tests].filter((path) => !existsSync(path))).toEqual([]);
  });

  test("pins actions to commits, with the release in a comment, and installs only the packages of package-lock.json", () => {
    const pinned = /^ *(- )?uses: (\.\/\S+|actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/gm;
    expect([...text.matchAll(pinned)]).toHaveLength(uses.length);
    const installer = /\b(npm (i|in|ins|inst|install|add|exec|x)|npx(?! wrangler )|pnpm|yarn|bunx?)\b/;
    expect(scripts.filter((script) => installer.test(script))).toEqual([]);
  });

  test("is described in docs/deploying.md, with its secrets and variables", () => {
    if (tree.on) expect(DOCS).toContain(`\`${basename(file)}\``);
    for (const [, name] of text.matchAll(/\b(?:secrets|vars)\.([A-Z0-9_]+)/g))
      expect(DOCS).toContain(`\`${name}\``);
  });
});

test("only jobs of an environment get a token, and they run only if there is an account", () => {
  const withToken = listJobs().filter(([, job]) => JSON.stringify(job).includes("secrets.CLOUDFLARE"));
  expect(withToken.map(([name, { environment }]) => [name, environment])).toEqual([
    ["preview", expect.objectContaining({ name: "preview" })],
    ["deploy", expect.objectContaining({ name: "production" })],
  ]);
  for (const [name, job] of withToken) {
    expect(job.if).toContain("vars.CLOUDFLARE_ACCOUNT_ID != ''");
    // Dependabot gets variables, but no secrets.
    if (name !== "deploy") expect(job.if).toContain("github.actor != 'dependabot[bot]'");
  }
});

test("only the step that creates the release gets the GitHub token", () => {
  const withToken = listJobs().flatMap(([, { steps = [] }]) =>
    steps.filter((step) => JSON.stringify(step).includes("github.token")),
  );
  expect(withToken).toMatchObject([{ run: expect.stringMatching(/^gh release create [^\n]+$/) }]);
  expect(listJobs().filter(([, { permissions }]) => permissions)).toMatchObject([["release", {}]]);
});

test("docs/deploying.md links to a token with the permissions that a deployment needs", () => {
  const [, keys = ""] = /permissionGroupKeys=([^&]+)&/.exec(DOCS) ?? [];
  const groups = ["workers_scripts", "workers_kv_storage", "d1"].map((key) => ({ key, type: "edit" }));
  expect(JSON.parse(decodeURIComponent(keys))).toEqual(expect.arrayContaining(groups));
});

test.each([
  ["succeeds", "echo deleted", 0],
  ["succeeds if there is no preview", "echo 'not found [code: 10025]'; exit 1", 0],
  ["fails if wrangler fails for another reason", "echo 'no [code: 10000]' >&2; exit 1", 1],
])("the removal of a closed pull request's preview %s", (_, wrangler, status) => {
  const { jobs } = parse(readFileSync(".github/workflows/check.yml", "utf8"));
  const script = jobs.preview.steps.at(-1).run.replaceAll("npx wrangler", "wrangler");
  const input = `set -eo pipefail\nwrangler() (\n${wrangler}\n)\n${script}`;
  const env = { ...process.env, BRANCH: "a" };
  expect(spawnSync("bash", { input, cwd: createFolder(), env }).status).toBe(status);
});
