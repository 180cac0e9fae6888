import { exec, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { DOCUMENTS, listCodeBlocks, listInlineCode, readDocument } from "../support/documentation.ts";
import { makeRecords } from "../support/sample-records.ts";
import { untilServed } from "../support/serve.ts";
import { useWorker } from "../support/worker.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";

/** The fenced blocks in a language. Tests of the package run those of its own page. */
const listBlocks = (language: string) =>
  DOCUMENTS.filter((name) => name !== "docs/package.md").flatMap((name) => listCodeBlocks(name, language));

const { folder, run, write } = createDataFolder();
beforeAll(async () => void (await run("load", await write("sample.csv", makeRecords(600)))));
const served = useWorker({ folder });

/** The JSON in the documentation, by the path that returns it. */
const RESPONSES = { "/api/tf1/records/?page=2": '"results"', "/healthz": '"status"' };

test.each(Object.entries(RESPONSES))("the response of %s has the documented fields", async (path, part) => {
  const response = await (await fetch(served.origin + path)).json();
  const examples = listBlocks("json").filter((example) => example.includes(part));
  expect(examples).not.toEqual([]);
  for (const example of examples) expect(getShape(JSON.parse(example))).toEqual(getShape(response));
});

/** The names of the fields in their order, with the types of their values. Of an array, the first item counts. */
function getShape(value: unknown): unknown {
  if (Array.isArray(value)) return [getShape(value[0])];
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.entries(value).map(([name, inner]) => [name, getShape(inner)]);
}

/** What the programs in the documentation print, by a part of each. */
const PROGRAMS = {
  "else,body=cut": "60 records in 16 requests\n",
  "prefer=hang": "TimeoutError\n",
};

test("each program in the documentation is run", () => {
  // Other tests run the recipes of the package, and the bodies of read_rows.
  const parts = [...Object.keys(PROGRAMS), "createService", "yield "];
  const programs = [...listBlocks("js"), ...listBlocks("python")];
  expect(programs.filter((program) => !parts.some((part) => program.includes(part)))).toEqual([]);
});

test.each(Object.entries(PROGRAMS))("the program with %s prints %j", async (part, output) => {
  const [program = ""] = listBlocks("js").filter((other) => other.includes(part));
  const child = spawn(process.execPath, ["--input-type=module", "-"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(program.replaceAll("http://localhost:8787", served.origin));
  expect(await text(child.stdout)).toBe(output);
});

/** Commands that need an account or a deployment, that run until they are stopped, or that other tests run. */
const NOT_RUN =
  /npm start|npm run serve|npm run (deploy|preview|bench)|--remote|https:|wrangler (?!.*--local)/;

/** Blocks of commands. Another test runs the script, which begins with `set`. */
const blocks = listBlocks("sh").filter((block) => !block.startsWith("set "));

// A command can continue in the next line.
const commands = blocks.flatMap((block) => block.trimEnd().split(/(?<!\\)\n/));
const inlineCode = DOCUMENTS.flatMap((name) => listInlineCode(readDocument(name)));
commands.push(...inlineCode.filter((code) => code.startsWith("curl -")));

test("no block loads twice, because each load replaces all records", () => {
  expect(blocks.filter((block) => block.split("data -- load").length > 2)).toEqual([]);
});

test.each([...new Set(commands)].filter((command) => !NOT_RUN.test(command)))("%s", async (command) => {
  await write("counts.csv", makeRecords(50));
  const readsManyPages = /conformance|page=\[/.test(command);
  // The records of the last load could replace the others between two pages.
  if (readsManyPages) await untilServed(served.origin);
  const adapted = command
    .replaceAll("http://localhost:8787", served.origin)
    .replaceAll(/\b(counts|generated|everything)\.csv|etag\.txt/g, `${folder}/$&`)
    .replaceAll(/data -- (load|info|export)/g, `$& --persist-to ${folder}`)
    .replaceAll("--local", `--local --persist-to ${folder}`)
    .replace(/^curl/, "curl --verbose");
  const { stdout, stderr } = await promisify(exec)(adapted);
  // curl succeeds whatever the response is.
  if (command.startsWith("curl")) expect(stdout).toMatch(getExpectedResponse(command));
  // One of the attempts of `--retry`, at least.
  if (/prefer[=:]/i.test(command)) expect(stderr).toMatch(/^< Preference-Applied: /im);
});

function getExpectedResponse(command: string): RegExp {
  if (command.includes("data -- load")) return /Loaded \d+ records/;
  if (/code=503(?!,times)/.test(command)) return /^HTTP\/1\.1 503 /;
  return command.includes("healthz") ? /"status":"ok"/ : /"count":\d+,"next":/;
}

test("the documentation names every option of the package's command", async () => {
  const { stdout } = await promisify(exec)("node dist/package/cli.js --help");
  const options = stdout.match(/--(?!help|version)[a-z-]+/g) ?? [];
  expect(options).not.toEqual([]);
  const documentation = DOCUMENTS.map(readDocument).join("\n");
  expect(options.filter((option) => !documentation.includes(`\`${option}`))).toEqual([]);
});
