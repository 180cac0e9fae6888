import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { listenOnFreePort } from "../../free-port.ts";
import { createFolder } from "../../temporary-folder.ts";
import { installPackage } from "./built.ts";

const DOCUMENTATION = await readFile("docs/package.md", "utf8");

/** The blocks of the documentation in a language, in their order. */
const blocks = (language: string) =>
  [...DOCUMENTATION.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = ""]) =>
    name === language ? [code] : [],
  );

let folder: string;
let tarball: string;
let port: number;
beforeAll(async () => {
  ({ folder, tarball } = await installPackage());
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

test("the first program", async () => {
  const { stdout } = await runHere(process.execPath, [
    "--input-type=module",
    "--eval",
    blocks("js")[0] ?? "",
  ]);
  expect(stdout).toMatch(/^15 of 40614 records\nhttp:\/\/localhost:\d+\n$/);
});

test("the recipe for CI, which needs no registry", async () => {
  const parent = createFolder();
  const [service, client, clone] = ["service", "client", "clone"].map((name) => join(parent, name));
  await mkdir(client!);
  await mkdir(service!);
  await copyFile(tarball, join(service!, basename(tarball)));
  await writeFile(join(client!, "package.json"), JSON.stringify({ name: "client", type: "module" }));
  await run("git", ["init", "-q"], { cwd: client! });
  const commands = blocks("sh").find((block) => block.includes("git add")) ?? "";
  await run("bash", ["-ec", commands], { cwd: service!, env });
  const identity = ["-c", "user.name=a", "-c", "user.email=a@counts.example"];
  await run("git", [...identity, "commit", "-qm", "Test with the service"], { cwd: client! });
  await run("git", ["clone", "-q", client!, clone!]);
  const empty = { ...env, npm_config_cache: createFolder(), npm_config_offline: "true" };
  await run("npm", ["ci"], { cwd: clone!, env: empty });
  const { stdout } = await run("npx", ["traffic-count-records", "--version"], { cwd: clone!, env: empty });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("the recipe for types", async () => {
  await runHere(process.execPath, [await writeRecipe("openapi.js")]);
  const document = JSON.parse(await readFile(join(folder, "openapi.json"), "utf8"));
  expect(document).toMatchObject({ openapi: "3.1.1", servers: [{ url: "https://counts.example" }] });
});

/** Writes the recipe whose file has this name. */
const writeRecipe = (name: string) =>
  write(blocks("js").find((block) => block.startsWith(`// ${name}`)) ?? "");

test.each([
  ["Vitest", "records.test.js", 4],
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
