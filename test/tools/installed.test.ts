import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess } from "../run-command.ts";
import { createFolder } from "../temporary-folder.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

/** Runs a TypeScript program in a project that needs two packages and a version of Node. */
function run(installed: string[], needed: string, node = process.execPath) {
  const folder = createFolder();
  mkdirSync(join(folder, "tools"));
  cpSync("tools/installed.cjs", join(folder, "tools/installed.cjs"));
  const packages = {
    dependencies: { hono: "1.0.0" },
    devDependencies: { "@biomejs/biome": "1.0.0", node: needed },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", ...packages }));
  for (const name of installed) {
    mkdirSync(join(folder, "node_modules", name), { recursive: true });
    writeFileSync(join(folder, "node_modules", name, "package.json"), "{}");
  }
  writeFileSync(join(folder, "start.ts"), 'console.log("started" as string);');
  return runProcess(node, ["--require", "./tools/installed.cjs", "start.ts"], { cwd: folder });
}

const ALL = ["hono", "@biomejs/biome", "node"];
const MISSING = "The packages of the project are not all installed: node_modules has no ";

test.each([
  [[], "24.0.0", `${MISSING}hono and 2 more. Run \`npm ci\`.`],
  [["hono", "node"], "24.0.0", `${MISSING}@biomejs/biome. Run \`npm ci\`.`],
  [
    ALL,
    "99.1.2",
    /^The project needs Node 99, and this is Node \S+\. .*; run `npm rebuild node --ignore-scripts=false`\.$/,
  ],
])("with the packages %j and Node %s, a script says what to install", async (installed, needed, message) => {
  const { status, stdout, stderr } = await run(installed, needed);
  expect([status, stdout, stderr.trimEnd()]).toEqual([
    1,
    "",
    typeof message === "string" ? message : expect.stringMatching(message),
  ]);
});

test("a script starts if everything is installed", async () => {
  expect(await run(ALL, "22.99.0")).toEqual({ status: 0, stdout: "started\n", stderr: "" });
});

test.runIf(process.env.OLD_NODE)("a Node that cannot read TypeScript says so, too", async () => {
  const { stderr } = await run(ALL, "24.0.0", process.env.OLD_NODE);
  expect(stderr).toMatch(/^The project needs Node 24, and this is Node 20\..*\n$/);
});

test.each(Object.entries<string>(scripts))("npm run %s looks first at what is installed", (_, script) => {
  expect(script).toMatch(/^((exec )?node (--\S+ )*(--require \.\/)?tools\/installed\.cjs |npm run )/);
});
