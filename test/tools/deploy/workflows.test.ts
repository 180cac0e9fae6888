import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { isScalar, parse, parseDocument, stringify, visit } from "yaml";
import { createWorkflowValidator, type Validate } from "./workflow-validator.ts";

interface Job {
  environment?: string | { name: string };
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

let validate: Validate;
beforeAll(async () => {
  validate = await createWorkflowValidator();
});

test("the validator of workflows finds errors", async () => {
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
    uses: ./.github/workflows/check.yml
    with: { brunch: main }
`;
  const problems = (await validate("wrong.yml", text)).join("\n");
  for (const word of ["foo", "reed", "'b'", "nothing", "wiht", "brunch"]) expect(problems).toContain(word);
});

test.each(files)("%s is valid", async (file) =>
  expect(await validate(file, readFileSync(file, "utf8"))).toEqual([]),
);

/** Collects the values of a field at any depth. */
function collectValues(field: string, tree: unknown): string[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    name === field && typeof value === "string" ? [value] : collectValues(field, value),
  );
}

/** Finds what the language service does not check: syntax errors in scripts, and references to files that do not exist. */
function findErrors(text: string): string[] {
  const tree = parse(text);
  const scripts = collectValues("run", tree).map((input) =>
    spawnSync("bash", ["-n"], { input, encoding: "utf8" }),
  );
  const references = collectValues("uses", tree).filter((path) => path.startsWith("./"));
  return [
    ...scripts.flatMap(({ status, stderr }) => (status === 0 ? [] : [stderr])),
    ...references.filter((path) => !existsSync(path.endsWith(".yml") ? path : `${path}/action.yml`)),
  ];
}

test("a syntax error in a script and a missing file are found", () => {
  const steps = [{ run: "if [ -s file ]; the\n  echo yes\nfi" }, { run: 'echo "fine"' }];
  expect(findErrors(stringify({ steps }))).toEqual([expect.stringContaining("syntax error")]);
  expect(findErrors("uses: ./.github/actions/instal")).toEqual(["./.github/actions/instal"]);
});

test.each(files)("%s has scripts without syntax errors, and refers to files that exist", (file) =>
  expect(findErrors(readFileSync(file, "utf8"))).toEqual([]),
);

/** Finds packages that scripts install without the lockfile and without an exact version, by any package manager. */
function findInexactInstalls(text: string): string[] {
  const commands = collectValues("run", parse(text))
    .flatMap((script) => script.split(/\n|&&|\|\||;|\|/))
    .map((command) => command.trim().split(/\s+/));
  return commands.flatMap((words) => {
    const [program = "", ...rest] = words.slice(
      words.findIndex((word) => /^(npm|npx|pnpm|yarn|bunx?)$/.test(word)),
    );
    const [verb = "", ...names] = rest.filter((word) => !word.startsWith("-"));
    const isInstall = program === "npm" && /^(i|in|ins|inst|install|add|exec|x)$/.test(verb);
    const packages = program === "npx" || program === "bunx" ? [verb] : isInstall ? names : [];
    const isOther = /^(pnpm|yarn|bun)$/.test(program);
    return isOther
      ? [words.join(" ")]
      : packages.filter((name) => !/^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/.test(name));
  });
}

test.each([
  ["npm install --global npm@11", ["npm@11"]],
  ["npm i -g npm", ["npm"]],
  ["npm install -g npm@11.21.2 wrangler@latest", ["wrangler@latest"]],
  ["cd site && npm add @scope/name", ["@scope/name"]],
  ["npx wrangler deploy", ["wrangler"]],
  ["yarn add x@1.2.3", ["yarn add x@1.2.3"]],
  ["npm ci", []],
  ["npm run deploy -- --skip-checks", []],
  ["npm i -g @scope/name@1.2.3", []],
])("in the script %j, the installs without an exact version are %j", (run, expected) =>
  expect(findInexactInstalls(stringify({ steps: [{ run }] }))).toEqual(expected),
);

test.each(files)("%s installs exact versions only", (file) =>
  expect(findInexactInstalls(readFileSync(file, "utf8"))).toEqual([]),
);

test("pushes to main are checked and deployed one after the other", () => {
  const { concurrency }: Workflow = parse(readFileSync(".github/workflows/main.yml", "utf8"));
  expect(concurrency).toEqual({ group: "main", "cancel-in-progress": false });
});

test("the weekly conformance check ends in time, and uses at most a tenth of the free daily requests", () => {
  const file = ".github/workflows/conformance.yml";
  const { conformance }: Workflow["jobs"] = parse(readFileSync(file, "utf8")).jobs;
  const run = conformance?.steps?.at(-1)?.run ?? "";
  const pages = Number(/--pages (\d+)/.exec(run)?.[1]);
  const minutes = (pages * Number(/--delay (\d+)/.exec(run)?.[1])) / 60_000;
  expect(minutes).toBeLessThan(Number(conformance?.["timeout-minutes"]) / 5);
  expect(pages).toBeLessThanOrEqual(100_000 / 10);
});

/** Finds third-party actions that are not pinned to a commit with the release in a comment. */
function findUnpinnedActions(text: string): string[] {
  const document = parseDocument(text);
  const found: string[] = [];
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== "uses" || !isScalar(value)) return;
      const use = `${value.value} #${value.comment ?? ""}`;
      const isOwn = String(value.value).startsWith("./");
      if (!isOwn && !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use)) found.push(use);
    },
  });
  return found;
}

test("an action that is not pinned is found in any YAML notation", () => {
  const commit = "08c6903cd8c0fde910a37f88322edcfb5dd907a8";
  const text = `steps:
  - uses: actions/checkout@v5 # v5.0.0
  - "uses": 'actions/cache@main'
  - { uses: other/action@${commit} }
  - uses: actions/checkout@${commit}
  - uses: actions/checkout@${commit} # v5.0.0
  - uses: ./.github/actions/node
`;
  expect(findUnpinnedActions(text)).toEqual([
    "actions/checkout@v5 # v5.0.0",
    "actions/cache@main #",
    `other/action@${commit} #`,
    `actions/checkout@${commit} #`,
  ]);
});

test("workflows use third-party actions", () => {
  const used = files.flatMap((file) => collectValues("uses", parse(readFileSync(file, "utf8"))));
  expect(used.filter((action) => !action.startsWith("./")).length).toBeGreaterThan(3);
});

test.each(files)("%s pins actions to commits, with the release in a comment", (file) =>
  expect(findUnpinnedActions(readFileSync(file, "utf8"))).toEqual([]),
);

describe.each(workflows)("%s", (file) => {
  const { permissions, jobs }: Workflow = parse(readFileSync(file, "utf8"));
  const jobsWithSteps = Object.values(jobs).filter(({ uses }) => uses === undefined);

  test("has only read permissions at its top level", () => {
    for (const permission of Object.values(permissions ?? { all: "write" })) expect(permission).toBe("read");
  });

  test("has a timeout in every job", () => {
    for (const job of jobsWithSteps) expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
  });

  test("passes values to scripts as variables, never as part of the script", () => {
    for (const { run = "" } of jobsWithSteps.flatMap(({ steps = [] }) => steps))
      expect(run).not.toContain("${{");
  });

  test("takes tokens from an environment, and the production token only for production deployments", () => {
    for (const { environment, steps = [] } of jobsWithSteps) {
      const scripts = steps
        .filter(({ env = {} }) => "CLOUDFLARE_API_TOKEN" in env)
        .map(({ run = "" }) => run);
      const name = typeof environment === "object" ? environment.name : environment;
      for (const run of scripts)
        expect(name).toBe(run.startsWith("npm run deploy ") ? "production" : "preview");
    }
  });

  test("passes the token only to steps that need it", () => {
    for (const { uses, run = "", env = {} } of jobsWithSteps.flatMap(({ steps = [] }) => steps))
      if ("CLOUDFLARE_API_TOKEN" in env)
        expect(`${uses} ${run}`).toMatch(/^undefined (npm run (deploy|preview) )/);
  });
});
