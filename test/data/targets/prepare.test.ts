import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { d1Target } from "../../../data/targets/d1.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "prepare-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What stands for wrangler: its queries answer one of these after the other, and its migrations are noted. */
async function writeProgram(answers: unknown[]) {
  const queue = join(folder, "queue.json");
  const program = join(folder, "wrangler.mjs");
  await writeFile(queue, JSON.stringify(answers));
  const source = `
    import { readFileSync, writeFileSync } from "node:fs";
    const [answer, ...rest] = JSON.parse(readFileSync(${JSON.stringify(queue)}, "utf8"));
    const migrates = process.argv.includes("migrations");
    if (migrates !== (answer === "migrate")) throw new Error("called in another order: " + process.argv);
    writeFileSync(${JSON.stringify(queue)}, JSON.stringify(rest));
    if (typeof answer === "object") console.log(JSON.stringify([{ results: answer }]));
    else if (!migrates) { console.error(answer); process.exit(1); }`;
  await writeFile(program, source);
  return { program, left: async () => JSON.parse(await readFile(queue, "utf8")) };
}

const state = (version: number, ...applied: string[]) => [{ version, applied: JSON.stringify(applied) }];
const BOTH = ["0001_collection.sql", "0002_statistics.sql"];

test.each<[string, unknown[], number]>([
  ["is up to date", [state(7, ...BOTH)], 7],
  ["is up to date, and nothing was ever loaded", [state(0, ...BOTH)], 0],
  ["has migrations of later code", [state(7, ...BOTH, "0003_later.sql")], 7],
  ["lacks a migration", [state(7, BOTH[0]!), "migrate", state(7, ...BOTH)], 7],
  ["lacks one that was renamed", [state(7, BOTH[0]!, "x.sql"), "migrate", state(7, ...BOTH, "x.sql")], 7],
  ["is new", ["no such table: state", "migrate", state(0, ...BOTH)], 0],
])("a database that %s says what is loaded", async (_, answers, version) => {
  const { program, left } = await writeProgram(answers);
  expect(await d1Target.prepare({ program })).toBe(version);
  expect(await left()).toEqual([]);
});

test.each<[string, unknown[], string]>([
  ["does not answer", ["Network connection lost"], "Network connection lost"],
  ["answers no more", ["no such table: state", "migrate", "Network connection lost"], "connection lost"],
  ["has no state", [[]], "what is loaded is unknown"],
  ["stays behind", [state(7, BOTH[0]!), "migrate", state(7, BOTH[0]!)], "lacks migrations"],
])("a database that %s is never taken for an empty one", async (_, answers, reason) => {
  const { program } = await writeProgram(answers);
  await expect(d1Target.prepare({ program })).rejects.toThrow(reason);
});
