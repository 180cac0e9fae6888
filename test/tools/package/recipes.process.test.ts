import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { CSV_HEADER, formatCsvLine } from "../../../tools/data/formats/csv.ts";
import { listCodeBlocks, readDocument } from "../../support/documentation.ts";
import { findPort } from "../../support/free-port.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { COMMAND, installPackage, runIn, startCommand } from "./built-package.ts";

const recipes = ["js", "python"].flatMap((language) => listCodeBlocks("docs/package.md", language));

const folder = await installPackage();
const port = String(await findPort());
// As in npm 11, after `npm init -y`.
await writeFile(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
for (const name of ["vitest", "ky", "msw", "@playwright"])
  await symlink(resolve("node_modules", name), join(folder, "node_modules", name));

/** Runs a program as a user of the package does, outside of Vitest. */
const run = (program: string, args: string[], added = {}) =>
  runIn(folder, program, args, { VITEST: undefined, PORT: port, NO_COLOR: "1", ...added });

test("the commands of the installation work in CI, without a registry", async () => {
  const block = listCodeBlocks("docs/package.md", "sh").find((block) => block.includes("git add"));
  // The package is already built.
  const commands = block?.replace(/^npm run package .*\n/, "");
  const script = `mkdir service && git init -q client && cp ${inject("tarball")} client && cd service
echo '{ "name": "client" }' > ../client/package.json
${commands}
git -c user.name=a -c user.email=a@counts.example commit -qm "Test with the service"
git clone -q . ../clone && cd ../clone
npm ci >&2 && npx traffic-count-records --version`;
  const offline = { npm_config_cache: createFolder(), npm_config_offline: "true" };
  const { status, stdout, stderr } = await runIn(createFolder(), "bash", ["-ec", script], offline);
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/m);
});

const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;
const NODE = process.execPath;
// The default timeouts of five seconds are too short for a busy machine.
const TIMEOUT = ["--testTimeout", "600000"];
const VITEST = [NODE, resolve("node_modules/vitest/vitest.mjs"), "run", "--root", ".", ...TIMEOUT];
const PLAYWRIGHT = [NODE, resolve("node_modules/@playwright/test/cli.js"), "test"];
// CI installs Jest into this folder.
const { JEST = "" } = process.env;
const JEST_PATH = join(JEST, "node_modules/jest/bin/jest.js");
const JEST_COMMAND = [NODE, "--experimental-vm-modules", JEST_PATH, "--rootDir", ".", ...TIMEOUT];

/** The commands that run the recipes, and what they print. */
// biome-ignore format: a table of cases
const RUNS: { files: string[]; command: string[]; expected: RegExp; isInstalled?: boolean }[] = [
  { files: ["counts.mjs"], command: [NODE], expected: /^15 of 40614 records\n$/ },
  { files: ["records.test.js", "client.test.js"], command: [...VITEST, "--hookTimeout", "600000"], expected: /Tests +4 passed/ },
  { files: ["pages.test.mjs"], command: JEST_COMMAND, expected: /1 passed, 1/, isInstalled: JEST !== "" },
  { files: ["counts.test.mjs"], command: [NODE, "--test"], expected: /pass 1/ },
  { files: ["test_records.py"], command: ["python3", "-m", "pytest", "-q"], expected: /^1 passed/m, isInstalled: hasPytest },
  { files: ["page.spec.js", "playwright.config.js"], command: PLAYWRIGHT, expected: /1 passed/ },
];

for (const { files, isInstalled = true, command, expected } of RUNS)
  test.runIf(isInstalled)(`the recipe ${files.join(" and ")} works, and leaves no process`, async () => {
    for (const file of files) {
      const code = recipes.find((recipe) => /^(\/\/|#) (.+)/.exec(recipe)?.[2] === file) ?? "";
      await writeFile(join(folder, file), code.replaceAll("localhost:8787", `localhost:${port}`));
    }
    const [program = "", ...args] = command;
    const { status, stdout, stderr } = await run(program, [...args, ...files]);
    expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(expected)]);
    expect((await run("pgrep", ["-f", folder])).status).toBe(1);
  });

test.runIf(hasPytest)("the recipe test_records.py says why the command does not start", async () => {
  const args = ["-m", "pytest", "test_records.py"];
  const { status, stdout } = await run("python3", args, { NODE_OPTIONS: "--no-experimental-sqlite" });
  expect(stdout).toMatch(/AssertionError: The command did not start.*needs SQLite/s);
  expect(status).toBe(1);
});

test("the script of the README prints what its last comment says", async () => {
  const [script = ""] = listCodeBlocks("README.md", "js");
  const [, printed] = /\/\/ (.+)\n$/.exec(script) ?? [];
  await writeFile(join(folder, "readme.mjs"), script);
  expect(await run(NODE, ["readme.mjs"])).toMatchObject({ status: 0, stdout: `${printed}\n` });
});

test.each([
  ["PORT", []],
  ["--port", ["--port", "NUMBER"]],
  ["--port=", ["--port=NUMBER"]],
])("the container's health check follows %s", async (_, given) => {
  const args = given.map((arg) => arg.replace("NUMBER", port));
  const env = { PORT: args.length > 0 ? "1" : port };
  const server = spawn(NODE, [COMMAND, ...args], { cwd: folder, env: { ...process.env, ...env } });
  onTestFinished(() => void server.kill());
  await once(server.stdout, "data");
  const [, check = ""] = /^HEALTHCHECK CMD (.*)$/m.exec(readDocument("docs/deploying.md")) ?? [];
  const [, ...script] = JSON.parse(check.replace("/proc/1/", `/proc/${server.pid}/`));
  expect(await run(NODE, script, env)).toMatchObject({ status: 0 });
});

test("each curl command of the section for any language succeeds", async () => {
  await writeFile(join(folder, "counts.csv"), CSV_HEADER + makeRecords(3).map(formatCsvLine).join(""));
  const { url, stop } = await startCommand(folder, ["--admin"]);
  onTestFinished(async () => void (await stop()));
  const blocks = listCodeBlocks("docs/package.md", "sh").join("").split("\n");
  const commands = blocks.filter((line) => line.includes("/__admin/"));
  expect(commands).toHaveLength(4);
  for (const command of commands) {
    const adapted = command.replace("http://localhost:8787", url).replace("curl", "curl --fail --silent");
    expect(await run("bash", ["-c", adapted]), command).toMatchObject({ status: 0 });
  }
});
