import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { importPackage } from "../tools/package/built.ts";

const { createService } = await importPackage();
const server = await createService({ records: makeRecords(400) }).listen({ port: 0 });
afterAll(() => server.close());

const run = promisify(execFile);
const hasRequests = await run("python3", ["-c", "import requests"]).then(
  () => true,
  () => false,
);

const text = await readFile("docs/mock.md", "utf8");
const recipes = [...text.matchAll(/^```(js|python)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({
  language,
  code: code.replaceAll("http://localhost:8787", server.url),
}));

/** The numbers of records that each recipe prints, in the order of the documentation. */
const EXPECTED = [[15], [15, 15, 15], [60], [3]];

test("the documentation has these recipes", () => expect(recipes).toHaveLength(EXPECTED.length));

test.concurrent.for(recipes.map((recipe, index) => ({ ...recipe, index })))(
  "recipe $index of docs/mock.md, in $language, works",
  async ({ language, code, index }, { skip }) => {
    skip(language === "python" && !hasRequests, "needs requests for Python");
    const command =
      language === "js" ? [process.execPath, "--input-type=module", "--eval"] : ["python3", "-c"];
    const { stdout } = await run(command[0]!, [...command.slice(1), code]);
    expect(stdout).toBe(EXPECTED[index]!.map((count) => `${count} records\n`).join(""));
  },
);
