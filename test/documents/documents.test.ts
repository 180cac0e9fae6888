import { existsSync, globSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { readConfiguration } from "../../data/writer/configuration.ts";
import { SPARED_MS } from "../../data/writer/kv-writer.ts";
import { describeService } from "../../src/openapi.ts";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { ASK_AGAIN_MS } from "../../src/store/known-state.ts";
import { readSeed } from "../data/input.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { DOCUMENTS, expectInDocument, listCode, readDocument } from "./documentation.ts";

/** The first cells of the table whose header begins with a title; all names in them, or the text if there is none. */
function listRows(page: string, title: string): string[] {
  const [, table = ""] = readDocument(page).split(`| ${title} |`);
  const [, ...rows] = table.split("\n\n")[0]?.split("\n") ?? [];
  return rows.slice(1).flatMap((row) => {
    const [, cell = ""] = row.split("|");
    return cell.includes("`") ? listCode(cell) : [cell.trim()];
  });
}

const listMatches = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, found = ""]) => found);

test.each([...DOCUMENTS, "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "data/seed/README.md"])(
  "the links of %s lead somewhere, and the files and the scripts that it names exist",
  (name) => {
    const text = readDocument(name);
    for (const [, file = "", heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = file === "" ? name : normalize(join(dirname(name), file));
      const headings = listMatches(readDocument(target), /^#+ (.+)$/gm).map((line) =>
        line
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, "")
          .replaceAll(" ", "-"),
      );
      if (heading !== undefined) expect(headings, `${target}#${heading}`).toContain(heading);
    }
    const paths = text.match(/(?<![\w/.])(?:src|data|docs|test|tools)\/[\w/.-]*\w\/?/g) ?? [];
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    const settings = listMatches(text, /--var ([A-Z_]+):(?!VALUE)/g);
    expectInDocument(
      "src/env.ts",
      settings.map((setting) => `\n  ${setting}?: string`),
    );
    const { scripts } = JSON.parse(readDocument("package.json"));
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(listMatches(text, /npm run (?:--silent )?([a-z:]+)/g)),
    );
  },
);

test.each(["docs/architecture.md", "CONTRIBUTING.md"])("the names of code in %s exist", (name) => {
  const sources = globSync("{src,data,tools,test}/**/*.{ts,tsx}").filter(
    (file) => !file.includes("documents"),
  );
  const code = sources.map(readDocument).join("\n");
  const names = listCode(readDocument(name)).filter((one) =>
    /^([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+(_[A-Z]+)+)$/.test(one),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((one) => !new RegExp(`\\b${one}\\b`).test(code))).toEqual([]);
});

const { get } = describeService("http://localhost").paths["/api/tf1/records/"]!;
const parameters = get!.parameters.filter((parameter) => parameter.in === "query");
const statuses = Object.keys(get!.responses).filter((status) => status !== "default");

test.each([
  [
    "README.md",
    "its links",
    listMatches(readDocument("README.md"), /\]\(docs\/(.+?)\): /g),
    readdirSync("docs"),
  ],
  [
    "docs/operation.md",
    "the settings of the worker",
    listRows("docs/operation.md", "Variable"),
    listMatches(readDocument("src/env.ts"), /^ {2}([A-Z_]+)\?: string/gm),
  ],
  [
    "docs/endpoint.md",
    "the query parameters",
    listRows("docs/endpoint.md", "Query parameter"),
    parameters.map(({ name }) => name),
  ],
  [
    "docs/endpoint.md",
    "the fields of a record",
    listRows("docs/endpoint.md", "Field of a record"),
    TrafficRecord.keyof().options,
  ],
  // With that of the path without its slash.
  [
    "docs/endpoint.md",
    "the statuses",
    [...new Set(listRows("docs/endpoint.md", "Status"))],
    [...statuses, "301"],
  ],
])("%s lists exactly %s", (_page, _what, listed, expected) => {
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

const { fetch } = await createMemoryService(makeRecords(40));
const send = (query: string, init?: RequestInit) => fetch(`http://localhost/api/tf1/records/${query}`, init);

test("docs/endpoint.md lists the headers that a page has", async () => {
  const { headers } = await send("?page=2");
  const [, table = ""] = readDocument("docs/endpoint.md").split("| Header | Value |");
  const documented = [...table.matchAll(/^\| `([\w-]+)` \| `([^`]+)`/gm)];
  expect(documented.length).toBeGreaterThan(4);
  for (const [, name = "", value] of documented) expect(headers.get(name), name).toBe(value);
});

test("docs/endpoint.md lists exactly the bodies of errors", async () => {
  const errors = await Promise.all([
    send("?prefer=dealy%3D5"),
    send("?page=0"),
    send("?format=xml"),
    send("", { method: "POST" }),
    send("", { headers: { Accept: "image/png" } }),
    send(`?${"&".repeat(50)}`),
    send("?prefer=code%3D429,retry-after%3D10"),
    send("?prefer=code%3D503"),
  ]);
  const sent = await Promise.all(errors.map(async (error) => [String(error.status), await error.text()]));
  const documented = readDocument("docs/endpoint.md").matchAll(/^\| (\d{3}) \| `(\{.*?\})` \|/gm);
  expect([...documented].map(([, status, body]) => [status, body])).toEqual(sent);
});

const { limit, period } = Object((await readConfiguration()).ratelimits?.[0]?.simple);
const seedCount = (await readSeed()).length.toLocaleString("en");

test.each([
  ["README.md", `the seed is loaded: ${seedCount} generated records`],
  ["README.md", `one of its ${PAGE_SIZE} records`],
  ["docs/package.md", `the seed: ${seedCount} generated records`],
  ["data/seed/README.md", `${seedCount} made-up records`],
  ["docs/operation.md", `more than ${limit.toLocaleString("en")} requests in ${period} seconds gets 429`],
  ["docs/operation.md", `by the first load after ${SPARED_MS / 3_600_000} hours`],
  ["docs/operation.md", `at most every ${ASK_AGAIN_MS / 1_000} seconds`],
  ["docs/capacity.md", `A block holds ${BLOCK_SIZE} records`],
])("%s says: %s", (name, sentence) => expectInDocument(name, [sentence]));
