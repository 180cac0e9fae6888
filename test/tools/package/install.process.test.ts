import { appendFile, cp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, inject, test } from "vitest";
import { createProject } from "../../support/project.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { CLIENT, installPackage, LEFT_OVER, runIn } from "./built-package.ts";

const NAME = "traffic-count-records";

const folder = await installPackage();
const installed = join(folder, "node_modules", NAME);

test("the package is small, and has no dependencies", async () => {
  expect((await stat(inject("tarball"))).size).toBeLessThan(1_000_000);
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
});

test("the package contains its license and those of its libraries", async () => {
  expect(await readFile(join(installed, "LICENSE"), "utf8")).toMatch(/^MIT License/);
  const notices = await readFile(join(installed, "NOTICES.txt"), "utf8");
  const hasLicense = (library: string) =>
    new RegExp(`^${library} \\d+\\.\\d+\\.\\d+\n\n(.+\n|\n)*?.*(MIT|Copyright)`, "m").test(notices);
  const libraries = ["hono", "commander", "csv-parse", "zod"];
  expect(libraries.filter(hasLicense)).toEqual(libraries);
});

test("the package contains nothing of an earlier build, and the files that its code names", async () => {
  const files = await readdir(installed);
  expect(files).not.toContain(LEFT_OVER);
  // The modules contain the static files, and their names.
  const modules = files.filter((file) => file.endsWith(".js"));
  const contents = await Promise.all(modules.map((file) => readFile(join(installed, file), "utf8")));
  expect(contents.join("")).not.toContain(LEFT_OVER);
  // Tools that copy all files of a program search for this expression.
  const urls = contents.join("").matchAll(/new URL\("\.\/(.+?)", import\.meta\.url\)/g);
  expect(Array.from(urls, ([, file]) => file).sort()).toEqual(files.filter((file) => file.endsWith(".gz")));
});

test("every library in the package is a dependency, so that the weekly audit sees it", async () => {
  const notices = await readFile(join(installed, "NOTICES.txt"), "utf8");
  const { devDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  expect(Object.keys(devDependencies).filter((name) => notices.includes(`\n${name} `))).toEqual([]);
  const workflow = await readFile(".github/workflows/weekly.yml", "utf8");
  expect(workflow).toContain("npm audit --omit=dev --include=prod\n");
});

test("the package has no page with a link to a file that it does not contain", async () => {
  const { folder, run } = createProject("http://localhost");
  await cp("dist", join(folder, "dist"), { recursive: true });
  await appendFile(join(folder, "docs/faults.md"), "[code](../src/app.ts)");
  const stderr = expect.stringContaining("docs/faults.md links to ../src/app.ts");
  expect(await run(["tools/package/build.ts"])).toMatchObject({ status: 1, stderr });
  expect(await readdir(join(installed, "docs"))).toEqual((await readdir("docs")).sort());
});

test("a strict client compiles, without the types of Node or Cloudflare", async () => {
  const target = { module: "nodenext", target: "es2024", lib: ["es2024", "dom"], types: [] };
  const compilerOptions = { ...target, strict: true, skipLibCheck: false, noEmit: true };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["client.ts"] }));
  await writeFile(join(folder, "client.ts"), CLIENT);
  const tsc = await runIn(folder, process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."]);
  expect(tsc).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("a CommonJS client can require the package, and tools its manifest", async () => {
  const script = `const { name } = require("${NAME}/package.json");
    require("${NAME}").createService({ records: [] }).ready.then(() => console.log(name));`;
  const client = await runIn(folder, process.execPath, ["--input-type=commonjs", "--eval", script]);
  expect(client).toEqual({ status: 0, stdout: `${NAME}\n`, stderr: "" });
});

test("an uncaught error shows its name and message, and little code", async () => {
  const script = `import { createService } from "${NAME}"; await createService({ records: [{}] }).fetch("http://a");`;
  const { stderr } = await runIn(folder, process.execPath, ["--input-type=module", "--eval", script]);
  expect(stderr).toMatch(/^InputError: records\[0\]: \{\} is not a record/m);
  expect(stderr.length).toBeLessThan(2_000);
});

// biome-ignore format: a table of cases
test.each([
  ["uses the package if it is external", [NAME], { status: 0, stdout: "200\n" }],
  ["says if the package must be external", [], { status: 1, stderr: expect.stringMatching(/^Error: .* external.*serverExternalPackages/m) }],
])("a bundle %s", async (_, external, expected) => {
  const outfile = join(createFolder(), "client.mjs");
  await symlink(join(folder, "node_modules"), join(outfile, "..", "node_modules"));
  const contents = `import { createService } from "${NAME}";
    console.log((await createService().fetch("https://counts.example/api/tf1/records/")).status);`;
  const stdin = { contents, resolveDir: folder };
  await build({ stdin, external, outfile, bundle: true, platform: "node", format: "esm" });
  expect(await runIn(folder, process.execPath, ["--no-warnings", outfile])).toMatchObject(expected);
});
