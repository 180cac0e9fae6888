import { spawn } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { loadSeed } from "../../data/load-seed.ts";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { finish } from "../processes.ts";
import { makeRecords } from "../records/sample.ts";
import { createFolder } from "../temporary-folder.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";

const FILE = "data/seed/2025-11-02.csv";
const LOAD = `import { loadSeed } from "./data/load-seed.ts"; await loadSeed({ persistTo: "state", store: "d1" });`;

/** A copy of the project, whose seed a test can change. */
let clone: string;
beforeAll(() => {
  clone = createFolder();
  for (const name of ["data", "src", "tools", "package.json", "wrangler.toml"])
    cpSync(name, join(clone, name), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(clone, "node_modules"));
});

const run = (...args: string[]) =>
  finish(spawn(process.execPath, args, { cwd: clone, stdio: ["ignore", "pipe", "pipe"] }));

/** Replaces the newest record of the seed. */
function changeSeed(line: string): void {
  const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
  writeFileSync(join(clone, FILE), `${lines.with(-1, line).join("\n")}\n`);
}

test("a wrong line in a file of the seed stops npm start with its file and line", async () => {
  changeSeed("1,1,a33,2025-11-02T23:59:59Z,True,many,0,0,0,0,0,tf1");
  const { status, stdout, stderr } = await run("tools/start.ts", "--persist-to", "state");
  expect([status, stdout]).toEqual([1, "The store is empty; loading the seed.\n"]);
  expect(stderr).toBe(
    `${join(clone, FILE)}:4053: cars "many" is not a whole number, 0 or greater\nNothing was loaded.\n`,
  );
});

test("a changed line in a file of the seed is loaded", async () => {
  changeSeed("1,86,c175,2025-11-02T23:59:59Z,True,4711,0,0,0,0,0,tf1");
  const { status, stdout, stderr } = await run("--input-type=module", "--eval", LOAD);
  expect([status, stderr, stdout]).toEqual([0, "", expect.stringMatching(/\nLoaded 40614 records\.\n$/)]);
  const exported = await run("tools/data/cli.ts", "export", "--persist-to", "state");
  expect(exported.stdout.split("\n")[1]).toBe("1,86,c175,2025-11-02T23:59:59Z,True,4711,0,0,0,0,0,tf1");
});

test.each(STORE_NAMES)("%s: the seed does not replace what is loaded", async (store) => {
  const local = createDataFolder();
  await local.run("load", "--store", store, await local.write("own.csv", makeRecords(30)));
  await loadSeed({ store, persistTo: local.folder });
  expect((await local.run("info", "--store", store)).stdout).toMatch(/^records +30$/m);
});
