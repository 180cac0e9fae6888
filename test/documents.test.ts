import { existsSync, globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { readConfiguration } from "../data/stores/configuration.ts";
import { SPARED_MS } from "../data/stores/kv-writer.ts";
import { describeService } from "../src/openapi.ts";
import { PAGE_SIZE } from "../src/records/page.ts";
import { TrafficRecord } from "../src/records/record.ts";
import { BLOCK_SIZE } from "../src/store/block.ts";
import { ASK_AGAIN_MS } from "../src/store/cache.ts";
import { readSeed } from "./seed.ts";
import { createOwnService, makeCollection } from "./tools/conformance/own-service.ts";

const NAMES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "data/seed/README.md"],
  ...(await readdir("docs")).map((name) => `docs/${name}`),
];
const PAGES = await Promise.all(NAMES.map(async (name) => ({ name, text: await readFile(name, "utf8") })));

const SOURCES = globSync("{src,data,tools,test}/**/*.{ts,tsx}").filter((file) => !file.includes("documents"));
const CODE = (await Promise.all(SOURCES.map((file) => readFile(file, "utf8")))).join("\n");

function textOf(name: string): string {
  return PAGES.find((page) => page.name === name)?.text ?? "";
}

/** The inline code of a page, without its fenced blocks. */
function listCode(text: string): string[] {
  const matches = text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g);
  return [...matches].map(([, code = ""]) => code);
}

/** The first cells of the table whose header begins with a title; all names in them, or the text if there is none. */
function listRows(page: string, title: string): string[] {
  const [, table = ""] = textOf(page).split(`| ${title} |`);
  const [, ...rows] = table.split("\n\n")[0]?.split("\n") ?? [];
  return rows.slice(1).flatMap((row) => {
    const [, cell = ""] = row.split("|");
    return cell.includes("`") ? listCode(cell) : [cell.trim()];
  });
}

test.each(PAGES)("the links of $name lead somewhere", async ({ name, text }) => {
  for (const [, file = "", heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
    const target = file === "" ? name : normalize(join(dirname(name), file));
    const headings = [...(await readFile(target, "utf8")).matchAll(/^#+ (.+)$/gm)].map(([, line = ""]) =>
      line
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, "")
        .replaceAll(" ", "-"),
    );
    if (heading !== undefined) expect(headings, `${target}#${heading}`).toContain(heading);
  }
});

test.each(PAGES)("the files that $name names exist", ({ text }) => {
  const paths = text.match(/(?<![\w/.])(?:src|data|docs|test|tools)\/[\w/.-]*\w\/?/g) ?? [];
  for (const path of paths) expect(existsSync(path), path).toBe(true);
});

test.each(PAGES)("the scripts that $name names exist", async ({ text }) => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8"));
  for (const [, script] of text.matchAll(/npm run (?:--silent )?([a-z:]+)/g))
    expect(Object.keys(scripts)).toContain(script);
});

test.each(["docs/architecture.md", "CONTRIBUTING.md"])("the names of code in %s exist", (name) => {
  const names = listCode(textOf(name)).filter((code) =>
    /^([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+(_[A-Z]+)+)$/.test(code),
  );
  expect(names.length).toBeGreaterThan(5);
  for (const one of names) expect(CODE, one).toMatch(new RegExp(`\\b${one}\\b`));
});

test("README.md lists every page of docs/", async () => {
  for (const page of await readdir("docs")) expect(textOf("README.md")).toContain(`](docs/${page}): `);
});

test("the pictures of README.md are small", async () => {
  const pictures = textOf("README.md").match(/[\w./-]+\.webp/g) ?? [];
  expect(pictures).toHaveLength(2);
  for (const picture of pictures) expect((await readFile(picture)).length).toBeLessThan(100_000);
});

test("docs/operation.md lists exactly the settings of the worker", async () => {
  const settings = [...(await readFile("src/env.ts", "utf8")).matchAll(/^ {2}([A-Z_]+)\?: string/gm)];
  expect(listRows("docs/operation.md", "Variable").sort()).toEqual(settings.map(([, name]) => name).sort());
});

const { get } = describeService("http://localhost").paths["/api/tf1/records/"] ?? {};

test("docs/endpoint.md lists exactly the query parameters", () => {
  const parameters = get?.parameters?.filter((parameter) => parameter.in === "query") ?? [];
  expect(listRows("docs/endpoint.md", "Query parameter").sort()).toEqual(
    parameters.map(({ name }) => name).sort(),
  );
});

test("docs/endpoint.md lists exactly the fields of a record", () => {
  expect(listRows("docs/endpoint.md", "Field of a record")).toEqual(TrafficRecord.keyof().options);
});

test("docs/endpoint.md lists exactly the statuses, with that of the path without its slash", () => {
  const statuses = Object.keys(get?.responses ?? {}).filter((name) => name !== "default");
  expect([...new Set(listRows("docs/endpoint.md", "Status"))].sort()).toEqual([...statuses, "301"].sort());
});

const service = await createOwnService(makeCollection(40));
const send = (query: string, init?: RequestInit) =>
  service.fetch(new Request(`http://localhost/api/tf1/records/${query}`, init));

test("docs/endpoint.md lists the headers that a page has", async () => {
  const { headers } = await send("?page=2");
  const [, table = ""] = textOf("docs/endpoint.md").split("| Header | Value |");
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
    send("?prefer=code%3D429,retry-after%3D10"),
    send("?prefer=code%3D503"),
  ]);
  const sent = await Promise.all(errors.map(async (error) => [String(error.status), await error.text()]));
  const documented = textOf("docs/endpoint.md").matchAll(/^\| (\d{3}) \| `(\{.*?\})` \|/gm);
  expect([...documented].map(([, status, body]) => [status, body])).toEqual(sent);
});

const [limiter] = (await readConfiguration()).ratelimits ?? [];
const { limit, period } = Object(limiter?.simple);
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
])("%s says: %s", (name, sentence) => expect(textOf(name).replaceAll(/\s+/g, " ")).toContain(sentence));
