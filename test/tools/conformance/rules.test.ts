import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkConformance, createRules } from "../../../tools/conformance/check.ts";
import { createOwnService, makeCollection } from "./own-service.ts";

const names = createRules().map(({ name }) => name);
const [, judged = "", open = ""] = readFileSync("docs/conformance.md", "utf8").split(
  /^## The rules$|^### What the specification leaves open$/m,
);
const documented = (text: string) => [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name);

test("docs/conformance.md explains exactly the rules of the check", () => {
  expect(documented(judged).toSorted()).toEqual(names.toSorted());
});

test("docs/conformance.md names what the report says about open questions", async () => {
  const { fetch } = await createOwnService(makeCollection(40));
  const report = await checkConformance("http://counts.example/api/tf1/records/", { fetch });
  expect(Object.keys(report.open)).not.toEqual([]);
  for (const name of Object.keys(report.open)) expect(documented(open)).toContain(name);
});
