import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { SURROUNDINGS } from "../../../tools/deploy/dependencies.ts";
import { deploy } from "../../../tools/deploy/deploy.ts";
import { createPreviewName } from "../../../tools/deploy/names.ts";
import { createDeployProgram } from "../../../tools/deploy/program.ts";
import { createTarget } from "../../../tools/deploy/target.ts";
import { runInProcess } from "../../run-command.ts";
import { CONFIGURATION, createAccount, createRepository } from "./recording.ts";

// These tests compare docs/deploying.md with the code.

const DOCS = readFileSync("docs/deploying.md", "utf8");

test("the page lists the steps of a deployment in their order", async () => {
  const { dependencies, printed } = createAccount(createRepository());
  await deploy(CONFIGURATION, createTarget(CONFIGURATION, ""), {}, dependencies);
  const steps = printed.map((line) => /^\[\d\/6\] (.*)/.exec(line)?.[1]).filter((title) => title);
  expect(steps).toHaveLength(6);
  expect([...DOCS.matchAll(/^\| \d \| ([a-z][^|]*) \| [A-Z`]/gm)].map(([, title]) => title)).toEqual(steps);
});

test.for([
  ["deploy", "--url"],
  ["preview", "--branch"],
] as const)("the page names every option of npm run %s", async ([script, example]) => {
  const { stdout } = await runInProcess(createDeployProgram(SURROUNDINGS), [script, "--help"]);
  const options = [...stdout.matchAll(/--[a-z-]+/g)].map(([option]) => option);
  expect(options).toContain(example);
  for (const option of options.filter((option) => option !== "--help")) expect(DOCS).toContain(option);
});

test("the page names every workflow that an event starts, and every secret and variable", () => {
  for (const file of globSync(".github/workflows/*.yml")) {
    const text = readFileSync(file, "utf8");
    if (!Object.hasOwn(Object(parse(text).on), "workflow_call"))
      expect(DOCS).toContain(`\`${basename(file)}\``);
    for (const [, name] of text.matchAll(/\b(?:secrets|vars)\.([A-Z0-9_]+)/g))
      expect(DOCS).toContain(`\`${name}\``);
  }
});

test("the page has correct examples of preview names", () => {
  const examples = [...DOCS.matchAll(/`([^`]+)` becomes\s`([^`]+-[0-9a-f]{6})`/g)];
  expect(examples).toHaveLength(2);
  for (const [, branch = "", name] of examples)
    expect(createPreviewName(branch, "traffic-count-records")).toBe(name);
});

test("the page links to a token with the permissions that a deployment needs", () => {
  const [, keys = ""] = /permissionGroupKeys=([^&]+)&/.exec(DOCS) ?? [];
  const groups = ["workers_scripts", "workers_kv_storage", "d1"].map((key) => ({ key, type: "edit" }));
  expect(JSON.parse(decodeURIComponent(keys))).toEqual(expect.arrayContaining(groups));
});
