import { execFile, spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { listCodeBlocks } from "../../documents/documentation.ts";
import { listenOnFreePort } from "../../free-port.ts";
import { createFolder } from "../../temporary-folder.ts";
import { installPackage } from "./built-package.ts";

const [program = "", ...recipes] = ["js", "python"].flatMap((language) =>
  listCodeBlocks("docs/package.md", language),
);

let folder: string;
let tarball: string;
let port: string;
beforeAll(async () => {
  ({ folder, tarball } = await installPackage());
  // As `npm init -y` writes it.
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
  for (const name of ["vitest", "ky", "msw", "@playwright"])
    await symlink(resolve("node_modules", name), join(folder, "node_modules", name));
  const free = await listenOnFreePort(createServer());
  port = new URL(free.origin).port;
  await free.close();
});

const run = promisify(execFile);
const { VITEST: _, JEST = "", ...env } = process.env;
const runInFolder = (command: string, args: string[]) =>
  run(command, args, { cwd: folder, env: { ...env, PORT: port, NO_COLOR: "1" } });

test("the first program", async () => {
  const { stdout } = await runInFolder(process.execPath, ["--input-type=module", "--eval", program]);
  expect(stdout).toMatch(/^15 of 40614 records\nhttp:\/\/localhost:\d+\n$/);
});

test("the recipe for CI, which needs no registry", async () => {
  const block = listCodeBlocks("docs/package.md", "sh").find((block) => block.includes("git add"));
  // The package is already built.
  const commands = block?.replace(/^npm run package .*\n/, "");
  const script = `mkdir service && cp ${tarball} service && git init -q client && cd service
echo '{ "name": "client" }' > ../client/package.json
${commands}
git -c user.name=a -c user.email=a@counts.example commit -qm "Test with the service"
git clone -q . ../clone && cd ../clone
npm ci >&2 && npx traffic-count-records --version`;
  const offline = { ...env, npm_config_cache: createFolder(), npm_config_offline: "true" };
  const { stdout } = await run("bash", ["-ec", script], { cwd: createFolder(), env: offline });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/m);
});

/** A test for the configuration of Playwright. */
const SPEC = "page.spec.js";
beforeAll(() =>
  writeFile(
    join(folder, SPEC),
    `import { expect, test } from "@playwright/test";
    test("a page", async ({ request }) => {
      const response = await request.get("/api/tf1/records/?page=2");
      expect((await response.json()).results).toHaveLength(15);
    });`,
  ),
);

const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;
// Their own limits, of five seconds, are too short for a busy machine.
const LONG_TEST_TIMEOUT = ["--testTimeout", "600000"];
const VITEST_COMMAND = [
  process.execPath,
  resolve("node_modules/vitest/vitest.mjs"),
  "run",
  "--root",
  ".",
  ...LONG_TEST_TIMEOUT,
  "--hookTimeout",
  "600000",
];
const PLAYWRIGHT_COMMAND = [
  process.execPath,
  resolve("node_modules/@playwright/test/cli.js"),
  "test",
  SPEC,
  "--config",
];
// CI installs Jest into the folder that the variable names.
const JEST_COMMAND = [
  process.execPath,
  "--experimental-vm-modules",
  join(JEST, "node_modules/jest/bin/jest.js"),
];

/** By the name of the file: whether the program that runs it is installed, the program, and what it prints. */
const RUNS: [file: string, isInstalled: boolean, command: string[], printed: RegExp][] = [
  ["records.test.js", true, VITEST_COMMAND, /Tests +3 passed \(3\)/],
  ["client.test.js", true, VITEST_COMMAND, /Tests +1 passed \(1\)/],
  [
    "pages.test.mjs",
    JEST !== "",
    [...JEST_COMMAND, "--rootDir", ".", ...LONG_TEST_TIMEOUT],
    /Tests: +1 passed, 1 total/,
  ],
  ["test_records.py", hasPytest, ["python3", "-m", "pytest", "-q"], /^1 passed/m],
  ["playwright.config.js", true, PLAYWRIGHT_COMMAND, /1 passed/],
];

for (const [file, isInstalled, [command = "", ...args], printed] of RUNS)
  test.runIf(isInstalled)(`the recipe ${file} works, and leaves nothing running`, async () => {
    const code = recipes.find((recipe) => /^(\/\/|#) (.+)/.exec(recipe)?.[2] === file) ?? "";
    await writeFile(join(folder, file), code.replaceAll("localhost:8787", `localhost:${port}`));
    const { stdout, stderr } = await runInFolder(command, [...args, file]);
    expect(stdout + stderr).toMatch(printed);
    await expect(run("pgrep", ["-f", folder])).rejects.toMatchObject({ code: 1 });
  });
