import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect } from "vitest";
import { unstable_readConfig } from "wrangler";
import { parse } from "yaml";
import { createPreviewName } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import { createDeployProgram } from "../../../tools/deploy/program.ts";
import { runInProcess } from "../../run-command.ts";
import { test } from "./stub/fixture.ts";

const DOCS = readFileSync("docs/deploying.md", "utf8");

describe("docs/deploying.md", () => {
  test("lists the steps of a deployment in their order", async ({ dependencies, printed }) => {
    await deployProduction({}, dependencies);
    const steps = printed.map((line) => /^\[\d\/8\] (.*)/.exec(line)?.[1]).filter((title) => title);
    expect(steps).toHaveLength(8);
    expect([...DOCS.matchAll(/^\| \d \| ([a-z][^|]*) \| [A-Z`]/gm)].map(([, title]) => title)).toEqual(steps);
  });

  test.for([
    ["deploy", "--url"],
    ["preview", "--branch"],
    ["rollback", "--url"],
  ] as const)("documents every option of npm run %s", async ([script, example], { dependencies }) => {
    const { stdout } = await runInProcess(createDeployProgram(dependencies), [script, "--help"]);
    const options = [...stdout.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    expect(options).toContain(example);
    for (const option of options.filter((option) => option !== "--help")) expect(DOCS).toContain(option);
  });

  test("documents every workflow that an event starts, and every secret and variable", () => {
    for (const file of globSync(".github/workflows/*.yml")) {
      const text = readFileSync(file, "utf8");
      const { on } = parse(text);
      if (!Object.hasOwn(Object(on), "workflow_call")) expect(DOCS).toContain(`\`${basename(file)}\``);
      for (const [, name] of text.matchAll(/\b(?:secrets|vars)\.([A-Z0-9_]+)/g))
        expect(DOCS).toContain(`\`${name}\``);
    }
  });

  test("has correct examples of preview names", () => {
    const examples = [...DOCS.matchAll(/`([^`]+)` becomes `([^`]+-[0-9a-f]{6})`/g)];
    expect(examples).toHaveLength(2);
    for (const [, branch = "", name] of examples)
      expect(createPreviewName(branch, "traffic-count-records")).toBe(name);
  });

  test("gives Workers Builds a command that includes the build command of wrangler.toml", () => {
    const { build } = unstable_readConfig({ config: "wrangler.toml" });
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(scripts.build).toContain(build.command);
    expect(DOCS).toContain("| Build command | `npm run build`");
  });

  test("refers to scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const [, script] of DOCS.matchAll(/npm run ([a-z:]+)/g))
      expect(Object.keys(scripts)).toContain(script);
  });
});
