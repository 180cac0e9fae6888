import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { listen } from "../../tools/package/listen.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { createFolder } from "../temporary-folder.ts";

/** The languages of the programs on the landing page, with the commands that run them and check what they need. */
const LANGUAGES = [
  { name: "JavaScript", file: "example.mjs", command: process.execPath, probe: ["--version"] },
  { name: "Python", file: "example.py", command: "python3", probe: ["--version"] },
  { name: "R", file: "example.R", command: "Rscript", probe: ["-e", "library(jsonlite)"] },
];

const runs = (command: string, args: string[]) => spawnSync(command, args).status === 0;
const folder = createFolder();

const ENTITIES: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** Reads the programs from the landing page, as a person copies them. */
async function readExamples(origin: string): Promise<Map<string, string>> {
  const html = await (await fetch(origin, { headers: { Accept: "text/html" } })).text();
  const examples = html.matchAll(/<summary>([^<]+)<\/summary>.*?<code>([^<]+)<\/code>/gs);
  return new Map(
    Array.from(examples, ([, name, code]) => [
      name!,
      code!.replaceAll(/&[a-z#0-9]+;/g, (entity) => ENTITIES[entity]!),
    ]),
  );
}

describe.each([
  { size: "more than three pages", count: 50, pages: 3 },
  { size: "two pages", count: 20, pages: 2 },
  { size: "an empty collection", count: 0, pages: 0 },
])("the examples of the landing page, with $size", async ({ count, pages }) => {
  const records = makeRecords(count);
  const service = await createMemoryService(records);
  const server = await listen((request) => service.fetch(request.url, request), { port: 0 });
  afterAll(() => server.close());
  const examples = await readExamples(server.url);
  const newest = Array.from({ length: pages }, (_, page) => records.at(-1 - 15 * page)?.timestamp);
  const expected = newest.map((timestamp) => `${count} ${timestamp}`).join("\n");

  test("are all tested here", () => expect([...examples.keys()]).toEqual(LANGUAGES.map(({ name }) => name)));

  for (const { name, file, command, probe } of LANGUAGES)
    test.runIf(runs(command, probe))(name, async () => {
      await writeFile(join(folder, file), examples.get(name)!);
      const { stdout } = await promisify(execFile)(command, [join(folder, file)]);
      expect(stdout.trimEnd().replaceAll(/ *\n/g, "\n")).toBe(expected);
    });
});
