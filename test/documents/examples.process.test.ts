import { exec, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { untilServed, useService } from "../tools/serve.ts";
import { DOCUMENTS, listCodeBlocks, readDocument } from "./documentation.ts";

/** The fenced blocks in a language. Tests of the package run those of its own page. */
const listBlocks = (language: string) =>
  DOCUMENTS.filter((name) => name !== "docs/package.md").flatMap((name) => listCodeBlocks(name, language));

const { folder, write } = createDataFolder();
const served = useService(folder);

/** The JSON in the documentation, by the path that returns it. */
const RESPONSES = { "/api/tf1/records/?page=2": '"results"', "/healthz": '"status"' };

test.each(Object.entries(RESPONSES))(
  "the documented response of %s has the right fields",
  async (path, part) => {
    const documented = listBlocks("json").filter((json) => json.includes(part));
    const response = await (await fetch(served.origin + path)).json();
    expect(documented.map((json) => getShape(JSON.parse(json)))).toEqual(
      documented.map(() => getShape(response)),
    );
    expect(documented).not.toEqual([]);
  },
);

/** The names of the fields in their order, with the types of their values. Of an array, the first item counts. */
function getShape(value: unknown): unknown {
  if (Array.isArray(value)) return [getShape(value[0])];
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.entries(value).map(([name, inner]) => [name, getShape(inner)]);
}

/** What the programs in the documentation print, by a part of each. The home page has the script that reads all records. */
const PROGRAMS: [language: "js" | "python", part: string, output: string][] = [
  ["python", "Retry", "15 records\n"],
  ["js", "body=cut", "60 records\n"],
  ["js", "prefer=hang", "TimeoutError\n"],
];
const INTERPRETERS = { js: [process.execPath, "--input-type=module"], python: ["python3"] };
const RUN_ELSEWHERE = ["records.jsonl", "createService"];

test("each program in the documentation is in the table", () => {
  const parts = [...PROGRAMS.map(([, part]) => part), ...RUN_ELSEWHERE];
  const programs = [...listBlocks("js"), ...listBlocks("python")];
  expect(programs.filter((program) => !parts.some((part) => program.includes(part)))).toEqual([]);
});

const hasRequests = await promisify(exec)('python3 -c "import requests"').then(
  () => true,
  () => false,
);
for (const [language, part, output] of PROGRAMS)
  test.runIf(language === "js" || hasRequests)(
    `the program with ${part} prints ${output.trim()}`,
    async () => {
      const programs = listBlocks(language).filter((program) => program.includes(part));
      expect(programs).toHaveLength(1);
      const [interpreter = "", ...options] = INTERPRETERS[language];
      const child = spawn(interpreter, [...options, "-"], { stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.end(programs[0]?.replaceAll("http://localhost:8787", served.origin));
      expect(await text(child.stdout)).toBe(output);
    },
  );

/** Commands that need an account or a deployment, that run until they are stopped, or that other tests run. */
const NOT_RUN =
  /npm start|npm run serve|examples\/convert\.py|npm run (deploy|preview|bench)|--remote|https:|wrangler (?!.*--local)/;

// A command can continue in the next line.
const commands = listBlocks("sh").flatMap((block) => block.trimEnd().split(/(?<!\\)\n/));

test.each([...new Set(commands)].filter((command) => !NOT_RUN.test(command)))("%s", async (command) => {
  await write("counts.csv", makeRecords(50));
  await write("records.csv", makeRecords(50));
  await write("records.jsonl", JSON.stringify(makeRecords(50)));
  // The check would begin once more if the collection changed.
  if (command.includes("conformance")) await untilServed(served.origin);
  const adapted = command
    .replaceAll("http://localhost:8787", served.origin)
    .replaceAll(/\b(counts|generated|everything|records)\.(csv|jsonl)|etag\.txt/g, `${folder}/$&`)
    .replaceAll(/data -- (load|info|export)/g, `$& --persist-to ${folder}`)
    .replaceAll("--local", `--local --persist-to ${folder}`);
  const { stdout } = await promisify(exec)(adapted);
  // curl succeeds whatever the response is.
  if (command.startsWith("curl")) expect(stdout).toMatch(getExpectedResponse(command));
});

function getExpectedResponse(command: string): RegExp {
  if (command.includes("data -- load")) return /Loaded \d+ records/;
  if (command.includes("code=503'")) return /^HTTP\/1\.1 503 /;
  return command.includes("healthz") ? /"status":"ok"/ : /"count":\d+,"next":/;
}

test.each([
  "data -- load",
  "data -- export",
  "data -- generate",
  "data -- info",
  "serve --",
  "conformance --",
])("the documentation names every option of npm run %s", async (command) => {
  const { stdout } = await promisify(exec)(`npm run --silent ${command} --help`);
  const options = stdout.match(/--(?!help|version)[a-z-]+/g) ?? [];
  expect(options).not.toEqual([]);
  const documentation = DOCUMENTS.map(readDocument).join("\n");
  expect(options.filter((option) => !documentation.includes(`\`${option}`))).toEqual([]);
});
