import { existsSync, globSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { OPENAPI_DOCUMENT } from "../../src/openapi.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { readConfiguration } from "../../tools/data/stores/configuration.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { readSeed } from "../tools/data/input.ts";
import { DOCUMENTS, expectInDocument, listInlineCode, readDocument } from "./documentation.ts";

/** Lists the inline code, or else the text, of the first cells in the table whose header begins with a title. */
function listFirstCells(page: string, title: string): string[] {
  const [, table = ""] = readDocument(page).split(`| ${title} |`);
  const [, ...rows] = table.split("\n\n")[0]?.split("\n") ?? [];
  return rows.slice(1).flatMap((row) => {
    const [, cell = ""] = row.split("|");
    return cell.includes("`") ? listInlineCode(cell) : [cell.trim()];
  });
}

const listMatches = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, found = ""]) => found);

/** Creates the anchor of a heading, as GitHub does. */
const createAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");

test.each([...DOCUMENTS, "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "data/seed/README.md"])(
  "the links, files and scripts in %s exist",
  (name) => {
    const text = readDocument(name);
    for (const [, file = "", heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = file === "" ? name : normalize(join(dirname(name), file));
      const headings = listMatches(readDocument(target), /^#+ (.+)$/gm).map(createAnchor);
      if (heading !== undefined) expect(headings, `${target}#${heading}`).toContain(heading);
    }
    const paths = text.match(/(?<![\w/.])(?:src|data|docs|examples|test|tools)\/[\w/.-]*\w\/?/g) ?? [];
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    const settings = listMatches(text, /--var ([A-Z_]+):(?!VALUE)/g);
    expectInDocument(
      "src/bindings.ts",
      settings.map((setting) => `\n  ${setting}?: string`),
    );
    const { scripts } = JSON.parse(readDocument("package.json"));
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(listMatches(text, /npm run (?:--silent )?([a-z:]+)/g)),
    );
  },
);

test("the names of code in CONTRIBUTING.md exist", () => {
  const sources = globSync("{src,tools,test}/**/*.{ts,tsx}").filter((file) => !file.includes("documents"));
  const code = sources.map(readDocument).join("\n");
  const names = listInlineCode(readDocument("CONTRIBUTING.md")).filter((name) =>
    /^([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+(_[A-Z]+)+)$/.test(name),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

const { get } = OPENAPI_DOCUMENT.paths["/api/tf1/records/"]!;
const parameters = get!.parameters.filter((parameter) => parameter.in === "query");
const statuses = Object.keys(get!.responses).filter((status) => status !== "default");
const settings = listMatches(readDocument("src/bindings.ts"), /^ {2}([A-Z_]+)\?: string/gm);

test.each([
  ["operation.md", "Variable", settings],
  ["api.md", "Query parameter", parameters.map(({ name }) => name)],
  ["api.md", "Field of a record", TrafficRecord.keyof().options],
  // The redirects belong to other paths, 405 to other methods, and 501 to methods that HTTP does not define.
  ["api.md", "Status", [...statuses, "301", "302", "405", "501"]],
])("the table of docs/%s that begins with %s is complete", (page, title, expected) => {
  expect([...new Set(listFirstCells(`docs/${page}`, title))].sort()).toEqual(expected.toSorted());
});

test("README.md links to all pages", () => {
  const linked = new Set(listMatches(readDocument("README.md"), /\]\(docs\/([^)#]+)/g));
  expect([...linked].sort()).toEqual(readdirSync("docs").sort());
});

const { fetch } = await createMemoryService(makeRecords(40));
const fetchCollection = (query: string, init?: RequestInit) =>
  fetch(`http://localhost/api/tf1/records/${query}`, init);

test("docs/api.md lists the headers that a page has", async () => {
  const { headers } = await fetchCollection("?page=2");
  const [, table = ""] = readDocument("docs/api.md").split("| Header | Value |");
  const documented = [...table.matchAll(/^\| `([\w-]+)` \| `([^`]+)`/gm)];
  expect(documented.length).toBeGreaterThan(4);
  for (const [, name = "", value] of documented) expect(headers.get(name), name).toBe(value);
});

test("docs/api.md lists exactly the bodies of errors", async () => {
  const errors = await Promise.all([
    fetchCollection("?prefer=code%3D200"),
    fetchCollection("?page=0"),
    fetchCollection("?format=xml"),
    fetchCollection("", { method: "POST" }),
    fetchCollection("", { headers: { Accept: "image/png" } }),
    fetchCollection(`?${"x&".repeat(4_096)}`),
    fetchCollection("?prefer=code%3D429,retry-after%3D10"),
    fetchCollection("?prefer=code%3D503"),
  ]);
  const sent = await Promise.all(errors.map(async (error) => [String(error.status), await error.text()]));
  const documented = readDocument("docs/api.md").matchAll(/^\| (\d{3}) \| `(\{.*?\})` \|/gm);
  expect([...documented].map(([, status, body]) => [status, body])).toEqual(sent);
});

const { limit, period } = Object((await readConfiguration()).ratelimits?.[0]?.simple);
const seedCount = (await readSeed()).length.toLocaleString("en");

test.each([
  ["README.md", `${seedCount} generated records`],
  ["docs/package.md", `${seedCount} generated records`],
  ["data/seed/README.md", `${seedCount} generated records`],
  ["docs/operation.md", `${limit.toLocaleString("en")} requests`],
  ["docs/operation.md", `${period} seconds`],
])("%s has the number in: %s", (name, words) => expectInDocument(name, [words]));
