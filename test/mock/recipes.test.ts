import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";

const worker = useWorker();
beforeAll(async () => void (await loadInto(worker.env, "d1", makeRecords(400))));

const run = promisify(execFile);
const text = await readFile("docs/mock.md", "utf8");

/** The recipes in a language, for the worker of this test. */
const recipes = (language: string) =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = ""]) =>
    name === language ? [code] : [],
  );
const adapt = (code: string) => code.replaceAll("http://localhost:8787", worker.origin);

/** The numbers of records that each recipe prints, in the order of the documentation. */
const EXPECTED = { js: [[15, 15, 15], [60]], python: [[15], [3]] };

const hasRequests = await run("python3", ["-c", "import requests"]).then(
  () => true,
  () => false,
);

test("the documentation has these recipes", () => {
  expect(recipes("js")).toHaveLength(EXPECTED.js.length);
  expect(recipes("python")).toHaveLength(EXPECTED.python.length);
});

describe("the recipes of docs/mock.md work:", () => {
  test.each(EXPECTED.js.map((records, index) => [index, records]))(
    "JavaScript %i",
    async (index, records) => {
      const code = adapt(recipes("js")[index] ?? "");
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code]);
      expect(stdout).toBe(records.map((count) => `${count} records\n`).join(""));
    },
  );

  test.runIf(hasRequests).each(EXPECTED.python.map((records, index) => [index, records]))(
    "Python %i",
    async (index, records) => {
      const { stdout } = await run("python3", ["-c", adapt(recipes("python")[index] ?? "")]);
      expect(stdout).toBe(records.map((count) => `${count} records\n`).join(""));
    },
  );
});
