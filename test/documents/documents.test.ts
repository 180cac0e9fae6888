import { existsSync, globSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { parseFaultOptions } from "../../src/faults/fault-options.ts";
import { DESCRIPTIONS, OPTION_NAMES } from "../../src/faults/option-table.ts";
import { TrafficRecord } from "../../src/records/schema.ts";
import { createCheckCommand } from "../../tools/conformance/check-command.ts";
import { createDataProgram } from "../../tools/data/data-command.ts";
import { createDeployProgram } from "../../tools/deploy/deploy.ts";
import { OPENAPI_DOCUMENT } from "../../tools/reference/openapi.ts";
import { DOCUMENTS, listInlineCode, readDocument } from "../support/documentation.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const PAGES = [...DOCUMENTS, "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "data/seed/README.md"];

const listMatches = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, found = ""]) => found);

const listHeadings = (page: string) => listMatches(readDocument(page), /^#+ (.+)$/gm);

/** Creates the anchor of a heading, as GitHub does. */
const createAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");

const settings = listMatches(readDocument("src/bindings.ts"), /^ {2}([A-Z_]+)\?: string/gm);

test.each(PAGES)("the links, files, scripts and settings in %s exist", (name) => {
  const text = readDocument(name);
  for (const [, file = "", heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
    const target = file === "" ? name : normalize(join(dirname(name), file));
    expect(existsSync(target), target).toBe(true);
    if (heading !== undefined)
      expect(listHeadings(target).map(createAnchor), `${target}#${heading}`).toContain(heading);
  }
  const paths = text.match(/(?<![\w/.])(?:src|data|docs|examples|test|tools)\/[\w/.-]*\w\/?/g) ?? [];
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect(settings).toEqual(expect.arrayContaining(listMatches(text, /--var ([A-Z_]+):/g)));
  const { scripts } = JSON.parse(readDocument("package.json"));
  const named = listMatches(text, /npm run (?:--silent )?([a-z:]+)/g);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

test("README.md links to all pages", () => {
  const linked = new Set(listMatches(readDocument("README.md"), /\]\(docs\/([^)#]+)/g));
  expect([...linked].sort()).toEqual(readdirSync("docs").sort());
});

test("comments and messages cite pages and headings that exist", () => {
  const code = globSync(["{src,tools,test,examples,.github}/**/*.{ts,tsx,py,yml}", "wrangler.toml"])
    .filter((file) => !file.startsWith("test/documents/"))
    .map(readDocument)
    .join("\n")
    // A comment continues in the next line.
    .replaceAll(/\s+(?:\*|\/\/|#)?\s*/g, " ");
  const pages = listMatches(code, /\b(docs\/[a-z]+\.md)/g);
  expect(pages.filter((page) => !existsSync(page))).toEqual([]);
  const cited = listMatches(code, /\(specification, "([^"]+)"/g);
  expect(listHeadings("docs/specification.md")).toEqual(expect.arrayContaining(cited));
  for (const [, heading, page = ""] of code.matchAll(/"([A-Z][^"]+)" in (docs\/[a-z]+\.md)/g))
    expect(listHeadings(page)).toContain(heading);
});

const { get } = OPENAPI_DOCUMENT.paths["/api/tf1/records/"]!;
const documented = DOCUMENTS.flatMap((page) => listInlineCode(readDocument(page)));
const programs = [createDataProgram(), createDeployProgram()];
const commands = [createCheckCommand("conformance"), ...programs.flatMap((program) => program.commands)];
const commandOptions = commands.flatMap(({ options }) => options.map(({ long }) => String(long)));

test.each<[kind: string, names: string[]]>([
  ["setting", settings],
  ["option of prefer", OPTION_NAMES],
  ["query parameter", get!.parameters.filter((one) => one.in === "query").map(({ name }) => name)],
  ["field of a record", TrafficRecord.keyof().options],
  ["option of a command", commandOptions.filter((name) => name !== "--version")],
  ["path", createApp().app.routes.flatMap(({ path }) => (path.includes("*") ? [] : path))],
])("each %s is documented", (_, names) => {
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !documented.some((code) => isAbout(code, name)))).toEqual([]);
});

/** Whether inline code is a name, perhaps with a value, such as `code=503`. */
function isAbout(code: string, name: string): boolean {
  return code.startsWith(name) && !/^[\w-]/.test(code.slice(name.length));
}

const examples = Object.entries(DESCRIPTIONS).flatMap(([option, { examples, expected }]) =>
  Object.entries(examples).map(([example, effect], index) => {
    const value = index === 0 ? expected : "";
    return { option, example, row: `| \`${example}\` | ${effect} | ${value} |\n` };
  }),
);

test("docs/faults.md has a table of all options", () =>
  expect(readDocument("docs/faults.md")).toContain(
    `|---|---|---|\n${examples.map(({ row }) => row).join("")}`,
  ));

test.each(examples)("the example $example of the option $option is valid", ({ option, example }) => {
  expect(example).toContain(option);
  expect(parseFaultOptions("", [example]).errors).toEqual([]);
});

test("docs/api.md has the headers of a page, and the status and the body of each error", async () => {
  const { fetch } = await createMemoryService(makeRecords(40));
  const send = (query: string, init?: RequestInit) =>
    fetch(`http://localhost/api/tf1/records/${query}`, init);
  const page = readDocument("docs/api.md");
  const { headers } = await send("?page=2");
  for (const [, name = "", value] of page.matchAll(/^\| `([A-Z][\w-]+)` \| `([^`]+)`/gm))
    expect(headers.get(name), name).toBe(value);
  const errors = await Promise.all([
    send("?prefer=code%3D200"),
    send("?page=0"),
    send("?format=xml"),
    send("", { method: "POST" }),
    send("", { headers: { Accept: "image/png" } }),
    send(`?${"x&".repeat(4_096)}`),
    send("?prefer=code%3D429,retry-after%3D10"),
    send("?prefer=code%3D503"),
  ]);
  const sent = await Promise.all(errors.map(async (error) => [String(error.status), await error.text()]));
  const described = page.matchAll(/^\| (\d{3}) \| `(\{.*?\})` \|/gm);
  expect(Array.from(described, ([, status, body]) => [status, body])).toEqual(sent);
});

/** The folders and files of the table in docs/architecture.md, by line, from the top. */
const LAYERS = listMatches(readDocument("docs/architecture.md"), /^\| (`.*?`) \|/gm).map(listInlineCode);

const findLayer = (file: string) =>
  LAYERS.findIndex((names) =>
    names.some((name) => (name.endsWith("/") ? file.startsWith(name) : file === name)),
  );

/** Lists the files of `src/` that a file imports. */
const listImports = (file: string) =>
  listMatches(readDocument(file), / from "(\.[^"]+)"/g)
    .map((path) => relative("src", join(dirname(file), path)))
    .filter((path) => !path.startsWith(".."));

test.each(globSync("src/**/*.{ts,tsx}"))(
  "%s is in the table of docs/architecture.md, and imports only what is below it",
  (file) => {
    const layer = findLayer(relative("src", file));
    expect(layer).not.toBe(-1);
    expect(listImports(file).filter((path) => findLayer(path) < layer)).toEqual([]);
  },
);
