import { existsSync, globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { describeService } from "../src/openapi.ts";
import { TrafficRecord } from "../src/records/record.ts";

const NAMES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
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
