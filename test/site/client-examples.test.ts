import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { createFolder } from "../temporary-folder.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";

const PATH = "/api/tf1/records/";

interface Language {
  name: string;
  file: string;
  command: string;
  /** With these arguments the command succeeds if everything that the example needs is installed. */
  probe: string[];
}

/** The languages of the programs on the landing page, and the commands that run them. */
const LANGUAGES: Language[] = [
  { name: "JavaScript", file: "example.mjs", command: process.execPath, probe: ["--version"] },
  { name: "Python", file: "example.py", command: "python3", probe: ["--version"] },
  { name: "R", file: "example.R", command: "Rscript", probe: ["-e", "library(jsonlite)"] },
];

const runFile = promisify(execFile);
const runs = (command: string, args: string[]) => spawnSync(command, args).status === 0;

const folder = createFolder();
let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker?.close());

const ENTITIES: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** Reads the programs from the landing page, as a person copies them. */
async function readExamples(): Promise<Map<string, string>> {
  const html = await (await worker.fetch("/", { headers: { Accept: "text/html" } })).text();
  const examples = html.matchAll(/<summary>([^<]+)<\/summary>.*?<code>([^<]+)<\/code>/gs);
  return new Map(
    Array.from(examples, ([, name, code]) => [
      name!,
      code!.replaceAll(/&[a-z#0-9]+;/g, (entity) => ENTITIES[entity]!),
    ]),
  );
}

async function readPage(number: number) {
  const page = await (await worker.fetch(`${PATH}?page=${number}`)).json();
  return Object(page);
}

describe.each([
  { size: "more than three pages", count: 50, pages: 3 },
  { size: "two pages", count: 20, pages: 2 },
  { size: "an empty collection", count: 0, pages: 1 },
])("the examples of the landing page, with $size", ({ count, pages }) => {
  let examples: Map<string, string>;
  let expected: string[];
  beforeAll(async () => {
    await worker.close();
    worker = await startWorker();
    await loadInto(worker.env, "d1", makeRecords(count));
    examples = await readExamples();
    const numbers = Array.from({ length: pages }, (_, index) => index + 1);
    expected = (await Promise.all(numbers.map(readPage))).map(({ results }) =>
      results.length > 0 ? `${count} ${results[0].timestamp}` : "",
    );
  });

  test("are all tested here", () => expect([...examples.keys()]).toEqual(LANGUAGES.map(({ name }) => name)));

  for (const { name, file, command, probe } of LANGUAGES) {
    const absent = name === "R" && !runs(command, probe);
    test.skipIf(absent)(absent ? `${name} (skipped: needs Rscript with jsonlite)` : name, async () => {
      expect(runs(command, probe), `this test needs ${command}`).toBe(true);
      await writeFile(join(folder, file), examples.get(name)!);
      const { stdout } = await runFile(command, [join(folder, file)]);
      expect(stdout.trimEnd().split(/ *\n/)).toEqual(expected);
    });
  }
});
