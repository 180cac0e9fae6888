import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { previewName } from "../../../tools/deploy/name.ts";

const DOCS = readFileSync("docs/deploying.md", "utf8");

const stepsOf = (text: string) =>
  [...text.matchAll(/journey\.step\(\s*"([^"]+)"/g)].map(([, title]) => title!);

describe("docs/deploying.md", () => {
  test("tells the steps of a deployment, in their order", () => {
    const steps = stepsOf(readFileSync("tools/deploy/release.ts", "utf8"));
    expect(steps).toHaveLength(8);
    expect([...DOCS.matchAll(/^\| \d \| ([a-z][^|]*) \| [A-Z`]/gm)].map(([, title]) => title)).toEqual(steps);
  });

  test("names every option of the commands", () => {
    const options = [...readFileSync("tools/deploy/cli.ts", "utf8").matchAll(/"(--[a-z-]+)/g)].map(
      ([, option]) => option!,
    );
    expect(options.length).toBeGreaterThan(4);
    for (const option of options) expect(DOCS).toContain(option);
  });

  test("names every workflow that begins by itself, and every secret and variable", () => {
    for (const file of globSync(".github/workflows/*.yml")) {
      const text = readFileSync(file, "utf8");
      if (!text.includes("workflow_call")) expect(DOCS).toContain(`\`${basename(file)}\``);
      for (const [, name] of text.matchAll(/\b(?:secrets|vars)\.([A-Z_]+)/g))
        expect(DOCS).toContain(`\`${name}\``);
    }
  });

  test("gives the names of branches as they are", () => {
    const examples = [...DOCS.matchAll(/`([^`]+)` is `([^`]+-[0-9a-f]{6})`\./g)];
    expect(examples).toHaveLength(2);
    for (const [, branch = "", name] of examples)
      expect(previewName(branch, "traffic-count-records")).toBe(name);
  });

  test("has the platform's own builds run what wrangler.toml builds with", () => {
    const [, command] = /^\[build\]\ncommand = "(.*)"$/m.exec(readFileSync("wrangler.toml", "utf8")) ?? [];
    expect(DOCS).toContain(`| Build command | \`${command}\``);
  });

  test("names scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const [, script] of DOCS.matchAll(/npm run ([a-z:]+)/g))
      expect(Object.keys(scripts)).toContain(script);
  });
});
