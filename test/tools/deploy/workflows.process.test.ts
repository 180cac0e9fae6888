import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createFolder } from "../../support/temporary-folder.ts";

const DOCS = readFileSync("docs/deploying.md", "utf8");

test.each(globSync(".github/{workflows,actions/*}/*.yml").sort())(
  "%s has valid scripts, pins its actions, and is documented with its secrets and variables",
  (file) => {
    const text = readFileSync(file, "utf8");
    const tree = parse(text);
    // A token for a whole job would be in the environment of every package's script.
    expect(text).not.toMatch(/^ {4}env:\n(?: {6}.*\n)* {6}\w+: .*secrets\./m);
    const jobs: { steps?: { run?: string }[] }[] = Object.values(tree.jobs ?? { action: tree.runs });
    for (const { run: input = "" } of jobs.flatMap(({ steps = [] }) => steps)) {
      expect(spawnSync("bash", ["-n"], { input, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
      // A branch name inside a script would be code; a variable is not.
      expect(input).not.toContain("${{");
    }
    // Different actors may open, change and close a pull request.
    expect(text).not.toContain("github.actor");
    const actions = Array.from(text.matchAll(/uses: (.*)/g), ([, action]) => String(action));
    const isPinned = /^(\.\/.*|actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;
    expect(actions.filter((action) => !isPinned.test(action))).toEqual([]);
    const names = Array.from(text.matchAll(/\b(?:secrets|vars)\.([A-Z0-9_]+)/g), ([, name]) => String(name));
    if (tree.on) names.push(basename(file));
    expect(names.filter((name) => !DOCS.includes(`\`${name}\``))).toEqual([]);
  },
);

// biome-ignore format: a table of cases
test.each([
  { name: "succeeds", wrangler: "echo deleted", expected: 0 },
  { name: "succeeds if there is no preview", wrangler: "echo 'not found [code: 10025]'; exit 1", expected: 0 },
  { name: "fails if wrangler fails for another reason", wrangler: "echo 'no [code: 10000]' >&2; exit 1", expected: 1 },
])("the removal of a closed pull request's preview $name", ({ wrangler, expected }) => {
  const { jobs } = parse(readFileSync(".github/workflows/check.yml", "utf8"));
  const script = jobs.preview.steps.at(-1).run.replaceAll("npx wrangler", "wrangler");
  const input = `set -eo pipefail\nwrangler() (\n${wrangler}\n)\n${script}`;
  const env = { ...process.env, BRANCH: "a" };
  expect(spawnSync("bash", { input, cwd: createFolder(), env }).status).toBe(expected);
});
