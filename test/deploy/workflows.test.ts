import { globSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type FindProblems, openLanguageService } from "./language-service.ts";

interface Job {
  uses?: string;
  "timeout-minutes"?: number;
  steps?: { uses?: string; run?: string; env?: Record<string, string> }[];
}

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const files = globSync(".github/{workflows,actions/*}/*.yml").sort();
const workflows = files.filter((file) => file.startsWith(".github/workflows/"));

let findProblems: FindProblems;
beforeAll(async () => {
  findProblems = await openLanguageService();
});

test("the check of workflows finds what is wrong", async () => {
  const text = `on: { pull_request: , foo: }
permissions: { contents: reed }
jobs:
  a:
    runs-on: ubuntu-24.04
    needs: [b]
    steps:
      - run: echo \${{ nothing.known }}
      - uses: actions/checkout@v5
        wiht: {}
  c:
    uses: ./.github/workflows/remove-preview.yml
    with: { brunch: main }
`;
  const problems = (await findProblems("wrong.yml", text)).join("\n");
  for (const word of ["foo", "reed", "'b'", "nothing", "wiht", "brunch"]) expect(problems).toContain(word);
});

test.each(files)("%s is as GitHub takes it", async (file) =>
  expect(await findProblems(file, readFileSync(file, "utf8"))).toEqual([]),
);

test.each(files)("%s pins actions to commits, and says which release that is", (file) => {
  for (const [, action, rest] of readFileSync(file, "utf8").matchAll(/uses: ([^./\s]\S*)(.*)/g)) {
    expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(rest).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});

describe.each(workflows)("%s", (file) => {
  const { permissions, jobs }: Workflow = parse(readFileSync(file, "utf8"));
  const own = Object.values(jobs).filter(({ uses }) => uses === undefined);

  test("may by itself do no more than read", () => {
    for (const right of Object.values(permissions ?? { all: "write" })) expect(right).toBe("read");
  });

  test("ends by itself", () => {
    for (const job of own) expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
  });

  test("gives scripts what others write as variables, never as part of the script", () => {
    for (const { run = "" } of own.flatMap(({ steps = [] }) => steps)) expect(run).not.toContain("${{");
  });

  test("gives the token to the step that needs it alone", () => {
    for (const { uses, run = "", env = {} } of own.flatMap(({ steps = [] }) => steps))
      if ("CLOUDFLARE_API_TOKEN" in env)
        expect(`${uses} ${run}`).toMatch(/^undefined (npm run (deploy|preview) |echo "present)/);
  });
});
