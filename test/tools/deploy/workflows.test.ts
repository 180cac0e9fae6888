import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createFolder } from "../../temporary-folder.ts";
import { findProblems, Workflow } from "./workflow-syntax.ts";

const files = globSync(".github/{workflows,actions/*}/*.yml").sort();
const readText = (file: string) => readFileSync(file, "utf8");
const readWorkflow = (name: string) => Workflow.parse(parse(readText(`.github/workflows/${name}.yml`)));

/** Collects the values of a field at any depth. */
function collectValues(field: string, tree: unknown): string[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    name === field && typeof value === "string" ? [value] : collectValues(field, value),
  );
}

test.each([
  ["    runs-on: ubuntu-24.04\n", "", "jobs.preview: must have `uses`, or"],
  ["    timeout-minutes: 20\n", "", "jobs.preview: must have `uses`, or"],
  ["timeout-minutes: 20", "timeout-minutes: 90", "jobs.preview.timeout-minutes: Too big"],
  ["        with:", "        wiht:", 'Unrecognized key: "wiht"'],
  ["synchronize", "synchronise", "on: Invalid input"],
  ["  pull_request:", "  pull_requests:", 'Unrecognized key: "pull_requests"'],
  ["contents: read", "contents: reed", "permissions.contents: Invalid input"],
  ["contents: read", "contents: write", "permissions.contents: Invalid input"],
  ["      - uses:", "      - run: npm test\n        uses:", "must have either `uses` or `run`"],
  ["needs: check", "needs: chek", "jobs.preview: chek is not known"],
  ["steps.preview.outcome", "steps.deploy.outcome", "jobs.preview: steps.deploy.outcome is not known"],
  [
    "outputs.open ==",
    "outputs.count ==",
    "jobs.remove: needs.count-pull-requests.outputs.count is not known",
  ],
  ["github.head_ref", "git.head_ref", "jobs.preview: git.head_ref is not known"],
  ['"$BRANCH"', `$${"{{ github.head_ref }}"}`, "as a part of the script"],
])("%j replaced by %j in a workflow is a problem", (text, replacement, problem) => {
  const right = readText(".github/workflows/pull-request.yml");
  const wrong = right.replace(text, replacement);
  expect(wrong).not.toBe(right);
  expect(findProblems(wrong).join("\n")).toContain(problem);
});

describe.each(files)("%s", (file) => {
  const text = readText(file);
  const tree = parse(text);

  test("is valid", () => expect(findProblems(text)).toEqual([]));

  test("pins actions to commits, with the release in a comment", () => {
    const pinned = /^ *(- )?uses: (\.\/\S+|actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/gm;
    expect([...text.matchAll(pinned)]).toHaveLength(collectValues("uses", tree).length);
  });
});

const trees = files.map((file) => parse(readText(file)));
const scripts = collectValues("run", trees);

test.each(scripts)("the script has no syntax error: %s", (input) =>
  expect(spawnSync("bash", ["-n"], { input, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" }),
);

test.each(collectValues("uses", trees).filter((path) => path.startsWith("./")))("%s exists", (path) =>
  expect(existsSync(path.endsWith(".yml") ? path : `${path}/action.yml`)).toBe(true),
);

test("only npm is installed without the lock file, in an exact version", () => {
  const installer = /\b(npm (i|in|ins|inst|install|add|exec|x)|npx|pnpm|yarn|bunx?)\b/;
  const lines = scripts.flatMap((script) => script.split("\n")).filter((line) => installer.test(line));
  expect(lines).toEqual([expect.stringMatching(/^npm install --global npm@\d+\.\d+\.\d+$/)]);
});

test("the steps with a token run in the environment of their script, and without secrets not at all", () => {
  const workflows = globSync("*.yml", { cwd: ".github/workflows" }).sort();
  const steps = workflows.flatMap((file) => {
    const { jobs } = readWorkflow(file.replace(".yml", ""));
    const excludesDependabot = JSON.stringify(jobs).includes("github.actor != 'dependabot[bot]'");
    return Object.values(jobs).flatMap(({ environment, steps = [] }) =>
      steps
        .filter(({ env = {} }) => "CLOUDFLARE_API_TOKEN" in env)
        .map(({ run }) => [
          file,
          /^npm run (\S+)/.exec(String(run))?.[1],
          typeof environment === "object" ? environment.name : environment,
          excludesDependabot,
        ]),
    );
  });
  // Dependabot gets variables, but no secrets. It neither pushes to main nor starts workflows by the clock.
  expect(steps).toEqual([
    ["branch-deleted.yml", "preview", "preview", true],
    ["main.yml", "deploy", "production", false],
    ["old-previews.yml", "preview", "preview", false],
    ["pull-request.yml", "preview", "preview", true],
    ["pull-request.yml", "preview", "preview", true],
  ]);
});

test("pushes to main are checked and deployed one after the other", () =>
  expect(readWorkflow("main").concurrency).toEqual({ group: "main", "cancel-in-progress": false }));

test("the weekly conformance check uses at most a tenth of the free daily requests", () => {
  const run = readWorkflow("conformance").jobs.conformance?.steps?.at(-1)?.run;
  expect(Number(/--pages (\d+)/.exec(String(run))?.[1])).toBeLessThanOrEqual(100_000 / 10);
});

describe("the workflow of a pull request", () => {
  const { jobs } = readWorkflow("pull-request");

  /** Runs the last step of a job in a folder, with a stub of gh that prints its arguments. */
  const runStep = (job: string, gh: string, env: Record<string, string>, folder = createFolder()) => {
    writeFileSync(join(folder, "gh"), `#!/bin/sh\necho "$@" >&2\n${gh}\n`, { mode: 0o755 });
    const script = String(jobs[job]?.steps?.at(-1)?.run);
    const PATH = `${folder}:${process.env.PATH}`;
    return spawnSync("bash", ["-e", "-c", script], { cwd: folder, encoding: "utf8", env: { PATH, ...env } });
  };

  test.each([
    ["echo 1", 0, "open=1\n"],
    ["exit 1", 1, ""],
  ])("removes the preview only if it could count the pull requests (%s)", (gh, status, output) => {
    const file = join(createFolder(), "output");
    writeFileSync(file, "");
    const env = {
      GITHUB_REPOSITORY: "o/n",
      GITHUB_REPOSITORY_OWNER: "o",
      GITHUB_OUTPUT: file,
      BRANCH: "feature/a",
    };
    const { stderr, ...ended } = runStep("count-pull-requests", gh, env);
    expect([ended.status, readText(file)]).toEqual([status, output]);
    expect(stderr).toContain(
      "api --method GET repos/o/n/pulls -f state=open -f head=o:feature/a --jq length\n",
    );
    expect(jobs.remove?.if).toBe("needs.count-pull-requests.outputs.open == '0'");
  });

  test.each([
    ["https://x.example", "success", "Preview of abc: https://x.example"],
    ["https://x.example", "failure", "Preview of abc: https://x.example, but its tests failed: RUN"],
    [undefined, "failure", "Deploying the preview of abc failed: RUN"],
  ])("with the address %j in wrangler's report and the outcome %s, comments: %s", (url, OUTCOME, text) => {
    const folder = createFolder();
    mkdirSync(join(folder, ".wrangler/deployments"), { recursive: true });
    const report = { type: "preview", preview_urls: [url], deployment_urls: [] };
    if (url) writeFileSync(join(folder, ".wrangler/deployments/a.ndjson"), `{}\n${JSON.stringify(report)}\n`);
    const { stderr } = runStep("preview", "", { COMMIT: "abc", NUMBER: "7", RUN: "RUN", OUTCOME }, folder);
    expect(stderr.split("\n").at(-2)).toBe(`pr comment 7 --edit-last --create-if-none --body ${text}`);
  });
});
