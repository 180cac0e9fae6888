import { exec } from "node:child_process";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { CSV_HEADER } from "../../tools/data/formats/csv.ts";
import { PATH } from "../http-suite/exchange.ts";
import { makeRecords } from "../records/sample.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { untilServed, useService } from "../tools/serve.ts";
import { DOCUMENTS, listCodeBlocks, readDocument } from "./documentation.ts";

/** The fenced blocks in a language. Tests of the package run those of its own page. */
const listBlocks = (language: string) =>
  DOCUMENTS.filter((name) => name !== "docs/package.md").flatMap((name) => listCodeBlocks(name, language));

// A command can continue in the next line.
const commands = [...new Set(listBlocks("sh").flatMap((block) => block.trimEnd().split(/(?<!\\)\n/)))];

/** Commands that CI and other tests run. */
const RUN_ELSEWHERE = [
  ...["npm ci && npm test", "npm run bench", "npm run serve -- counts.csv --port 0"],
  "npm run serve -- --prefer delay=200-800",
];

/** Commands that start the service, which is running already. */
const START = /^(?:npm ci && )?npm start\b/;

/** The converter, which its own tests run. */
const CONVERT = /^python3 examples\/convert\.py/;

/** Commands that need an account, or a deployment in one. */
const NEEDS_ACCOUNT = /\bwrangler (?!.*--local)|--remote|https:|npm run (deploy|preview)\b/;

const { folder, write, run } = createDataFolder();
const served = useService(folder);

const FILE_NAMES = /\b(counts\.csv|generated\.csv|everything\.csv|records\.csv|records\.jsonl|etag\.txt)/g;

/** Runs a command with the port and the folder of this test, and returns its output. */
async function runCommand(command: string): Promise<string> {
  const adapted = command
    .replaceAll("http://localhost:8787", served.origin)
    .replaceAll(FILE_NAMES, `${folder}/$1`)
    .replaceAll("npm run data", "npm run --silent data")
    .replaceAll(/data -- (load|info|export)/g, `$& --persist-to ${folder}`)
    .replaceAll("--local", `--local --persist-to ${folder}`);
  return stripVTControlCharacters((await promisify(exec)(adapted)).stdout);
}

/** The output of a command, by a part of the command. The first match counts. */
const OUTCOMES: [part: string, output: RegExp][] = [
  ["data -- load", /^Loaded \d+ records\.$/m],
  ["data -- check", /^\d+ records can be loaded\.$/m],
  ["data -- export", /^Exported \d+ records\.$/m],
  ["data -- generate", /^$/],
  ["data -- info", /^records +\d+$/m],
  ["--json", /^ {2}"stopped": null,$/m],
  ["conformance --", /^\d+ rules followed, 0 broken: /m],
  ["healthz", /^\{"status":"ok","code":\{"id":"[^"]+",/],
  ["Prefer: code=503", /^HTTP\/1\.1 503 /],
  ["Prefer: ", /^Preference-Applied: (delay=200-800|body=garbage)\r$/m],
  ["d1 execute", /"timestamp": "20[^"]+",\s+"cars": \d+/],
  ["-X OPTIONS", /^\{"name":"Traffic Count Records",/],
  ["curl", /^\{"count":/],
];

/** The response in the documentation that has this field. */
const findExample = (field: string) =>
  listBlocks("json")
    .map((text) => JSON.parse(text.replaceAll("http://localhost:8787", served.origin)))
    .find((response) => field in response);

/** The names of the fields in their order, with the types of their values. */
function getShape(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).map(([name, inner]) => [name, getShape(inner)])
    : typeof value;
}

test("the responses in the documentation are a page of the seed, and the fields of /healthz", async () => {
  const read = async (path: string) => Object(await (await fetch(served.origin + path)).json());
  const example = findExample("results");
  const page = await read(`${PATH}?page=2`);
  expect({ ...page, results: page.results.slice(0, example.results.length) }).toEqual(example);
  expect(getShape(await read("/healthz"))).toEqual(getShape(findExample("status")));
});

test("the documentation shows the messages about invalid input", async () => {
  const rows = [
    "1,1,a33,2025-10-29T09:10:27Z,True,many,0,0,0,0,0,tf1",
    "2,1,a33,2019-02-30T10:00:00Z,True,1,0,0,0,0,0,tf1",
    "3,1,a33,2025-10-29T10:10:27Z,True,1,0,0,0,0,0,tf1",
    "3,1,a33,2025-10-29T10:40:27Z,True,1,0,0,0,0,0,tf1",
  ];
  await write("counts.csv", `${CSV_HEADER}${rows.join("\n")}\n`);
  const { status, stderr } = await run("load", join(folder, "counts.csv"));
  expect(status).toBe(1);
  expect(listBlocks("")).toContain(stderr.replaceAll(`${folder}/`, ""));
});

test.each(
  commands.filter(
    (command) =>
      !RUN_ELSEWHERE.includes(command) && ![START, CONVERT, NEEDS_ACCOUNT].some((kind) => kind.test(command)),
  ),
)("%s", async (command) => {
  await write("counts.csv", makeRecords(50));
  await write("records.csv", makeRecords(50));
  await write("records.jsonl", JSON.stringify(makeRecords(50)));
  // A walk fails if the collection is replaced in the meantime.
  if (command.includes("conformance")) await untilServed(served.origin);
  const [, output] = OUTCOMES.find(([part]) => command.includes(part)) ?? [];
  expect(output, "an entry of OUTCOMES").toBeDefined();
  expect(await runCommand(command)).toMatch(output!);
});

test.each([
  ["data -- load", "--strict"],
  ["serve --", "--host"],
  ["conformance --", "--json"],
])("the documentation names every option of %s", async (command, one) => {
  const { stdout } = await promisify(exec)(`npm run --silent ${command} --help`);
  const options = stdout.match(/--(?!help|version)[a-z-]+/g) ?? [];
  expect(options).toContain(one);
  const documentation = DOCUMENTS.map(readDocument).join("\n");
  expect(options.filter((option) => !documentation.includes(`\`${option}`))).toEqual([]);
});
