import { execFile } from "node:child_process";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { listenOnFreePort } from "../../free-port.ts";
import { installPackage } from "./built.ts";

const DOCUMENTATION = await readFile("docs/package.md", "utf8");

/** The blocks of the documentation in a language, in their order. */
const blocks = (language: string) =>
  [...DOCUMENTATION.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = ""]) =>
    name === language ? [code] : [],
  );

let folder: string;
let port: number;
beforeAll(async () => {
  ({ folder } = await installPackage());
  for (const name of ["vitest", "ky", "msw", "@playwright"])
    await symlink(resolve("node_modules", name), join(folder, "node_modules", name));
  const free = await listenOnFreePort(createServer());
  port = Number(new URL(free.origin).port);
  await free.close();
});

const run = promisify(execFile);
const { VITEST: _, ...env } = process.env;
const runHere = (program: string, args: string[]) =>
  run(program, args, { cwd: folder, env: { ...env, PORT: String(port), NO_COLOR: "1" } });
const runTool = (path: string, ...args: string[]) =>
  runHere(process.execPath, [resolve("node_modules", path), ...args]);

/** Writes a block into the file that its first line names. */
async function write(code: string): Promise<string> {
  const [, name = ""] = /^(?:\/\/|#) (.+)\n/.exec(code) ?? [];
  await writeFile(join(folder, name), code.replaceAll("localhost:8787", `localhost:${port}`));
  return name;
}

test.each([
  ["the first program", 0, /^15 of 40614 records\nhttp:\/\/localhost:\d+\n$/],
  ["the program that shows requests", 1, /^\[ '503 code=503,times=2', '503 code=503,times=2', '200 ' \]\n$/],
])("%s", async (_, index, printed) => {
  const { stdout } = await runHere(process.execPath, ["--input-type=module", "--eval", blocks("js")[index]!]);
  expect(stdout).toMatch(printed);
});

/** Writes the recipe whose file has this name. */
const writeRecipe = (name: string) =>
  write(blocks("js").find((block) => block.startsWith(`// ${name}`)) ?? "");

test.each([
  ["Vitest", "records.test.js", 2],
  ["Mock Service Worker", "client.test.js", 2],
])("the recipe for %s", async (_, name, passed) => {
  const { stdout } = await runTool("vitest/vitest.mjs", "run", await writeRecipe(name), "--root", ".");
  expect(stdout).toMatch(new RegExp(`Tests +${passed} passed \\(${passed}\\)`));
});

/** The folder in which Jest is installed. CI installs it. */
const { JEST = "" } = process.env;

test.runIf(JEST)("the recipe for Jest", async () => {
  const jest = join(JEST, "node_modules/jest/bin/jest.js");
  const name = await writeRecipe("pages.test.mjs");
  const { stderr } = await runHere(process.execPath, [
    "--experimental-vm-modules",
    jest,
    "--rootDir",
    ".",
    name,
  ]);
  expect(stderr).toMatch(/Tests: +1 passed, 1 total/);
});

const hasPytest = await run("python3", ["-c", "import pytest"]).then(
  () => true,
  () => false,
);

test.runIf(hasPytest)("the recipe for pytest, which leaves nothing running", async () => {
  const { stdout } = await runHere("python3", ["-m", "pytest", "-q", await write(blocks("python")[0] ?? "")]);
  expect(stdout).toMatch(/^1 passed/m);
  expect(await listProcesses()).toEqual([]);
});

/** The command lines of processes that run a program of the client's folder. */
async function listProcesses(): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(folder));
}

test("the recipe for Playwright", async () => {
  const config = await write(blocks("js").find((block) => block.includes("webServer")) ?? "");
  await writeFile(
    join(folder, "page.spec.js"),
    `import { expect, test } from "@playwright/test";
    test("a page", async ({ request }) => {
      const response = await request.get("/api/tf1/records/?page=2");
      expect((await response.json()).results).toHaveLength(15);
    });`,
  );
  const { stdout } = await runTool("@playwright/test/cli.js", "test", "page.spec.js", "--config", config);
  expect(stdout).toMatch(/1 passed/);
});
