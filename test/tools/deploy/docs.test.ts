import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

// These tests compare docs/deploying.md with the code.

const DOCS = readFileSync("docs/deploying.md", "utf8");

test("the page lists the steps of a deployment in their order", () => {
  const code = readFileSync("tools/deploy/deploy.ts", "utf8");
  const steps = [...code.matchAll(/\bstep\(\s*"(.*?)"/g)].map(([, title]) => title);
  expect(steps).toHaveLength(5);
  expect([...DOCS.matchAll(/^\| \d \| (.*?) \|/gm)].map(([, title]) => title)).toEqual(steps);
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

test("the page links to a token with the permissions that a deployment needs", () => {
  const [, keys = ""] = /permissionGroupKeys=([^&]+)&/.exec(DOCS) ?? [];
  const groups = ["workers_scripts", "workers_kv_storage", "d1"].map((key) => ({ key, type: "edit" }));
  expect(JSON.parse(decodeURIComponent(keys))).toEqual(expect.arrayContaining(groups));
});
