import { spawn } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { finish } from "../run-command.ts";
import { createFolder } from "../temporary-folder.ts";

const FILE = "data/seed/2025-11-02.csv";
const LOAD = `
  const { loadSeed } = await import("./data/load-seed.ts");
  await loadSeed({ persistTo: "state", store: "d1" }).catch(({ message }) => console.log(message));`;

test.each([
  ["4711", "Loaded 40614 records."],
  ["many", `FILE:4053: cars "many" is not a whole number, 0 or greater\nNothing was loaded.`],
])("a seed whose newest record was edited to have %s cars: %s", async (cars, message) => {
  const clone = createFolder();
  for (const name of ["data", "src", "package.json", "wrangler.toml"])
    cpSync(name, join(clone, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(clone, "node_modules"));
  const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
  const edited = lines.with(-1, `1,86,c175,2025-11-02T23:59:59Z,True,${cars},0,0,0,0,0,tf1`);
  writeFileSync(join(clone, FILE), `${edited.join("\n")}\n`);
  const args = ["--input-type=module", "--eval", LOAD];
  const child = spawn(process.execPath, args, { cwd: clone, stdio: ["ignore", "pipe", "pipe"] });
  const text = message.replace("FILE", join(clone, FILE));
  const stdout = `The store is empty; loading the seed.\n${text}\n`;
  expect(await finish(child)).toEqual({ status: 0, stdout, stderr: "" });
});
