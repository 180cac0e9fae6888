import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type FindProblems, openLanguageService } from "./language-service.ts";

interface Job {
  uses?: string;
  "timeout-minutes"?: number;
  steps?: { uses?: string; run?: string; env?: Record<string, string> }[];
}

interface Workflow {
  permissions?: Record<string, string>;
  concurrency?: { group: string; "cancel-in-progress": boolean };
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

/** The values of a field, wherever it stands. */
function valuesOf(field: string, tree: unknown): string[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    name === field && typeof value === "string" ? [value] : valuesOf(field, value),
  );
}

/** What the language service passes over: scripts that bash cannot read, and files that do not exist. */
function findMistakes(text: string): string[] {
  const tree = parse(text);
  const scripts = valuesOf("run", tree).map((input) =>
    spawnSync("bash", ["-n"], { input, encoding: "utf8" }),
  );
  const used = valuesOf("uses", tree).filter((path) => path.startsWith("./"));
  return [
    ...scripts.flatMap(({ status, stderr }) => (status === 0 ? [] : [stderr])),
    ...used.filter((path) => !existsSync(path.endsWith(".yml") ? path : `${path}/action.yml`)),
  ];
}

test("a broken script and a file that does not exist are found", () => {
  const steps = [{ run: "if [ -s file ]; the\n  echo yes\nfi" }, { run: 'echo "fine"' }];
  expect(findMistakes(stringify({ steps }))).toEqual([expect.stringContaining("syntax error")]);
  expect(findMistakes("uses: ./.github/actions/instal")).toEqual(["./.github/actions/instal"]);
});

test.each(files)("%s has scripts that bash reads, and uses what exists", (file) =>
  expect(findMistakes(readFileSync(file, "utf8"))).toEqual([]),
);

test.each(files)("%s installs nothing but exact versions", (file) => {
  for (const [, version] of readFileSync(file, "utf8").matchAll(/npm install --global \w+@(\S+)/g))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("production gets each push after the one before, from its check on", () => {
  const { concurrency }: Workflow = parse(readFileSync(".github/workflows/main.yml", "utf8"));
  expect(concurrency).toEqual({ group: "main", "cancel-in-progress": false });
});

test("the weekly examination ends in time at any size, and leaves requests to clients", () => {
  const file = ".github/workflows/conformance.yml";
  const { conformance }: Workflow["jobs"] = parse(readFileSync(file, "utf8")).jobs;
  const run = conformance?.steps?.at(-1)?.run ?? "";
  const pages = Number(/--pages (\d+)/.exec(run)?.[1]);
  const minutes = (pages * Number(/--delay (\d+)/.exec(run)?.[1])) / 60_000;
  expect(minutes).toBeLessThan(Number(conformance?.["timeout-minutes"]) / 5);
  expect(pages).toBeLessThanOrEqual(100_000 / 10);
});

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
