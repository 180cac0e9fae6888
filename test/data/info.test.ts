import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deploymentOptions, runWrangler } from "../../tools/wrangler/wrangler.ts";
import { runData } from "../processes.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "info-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const info = (...args: string[]) => runData(["info", ...args]);

test("where nothing is loaded says so, and that is no failure", async () => {
  const empty = join(folder, "empty");
  const [text, json] = await Promise.all([
    info("--store", "d1", "--persist-to", empty),
    info("--store", "kv", "--persist-to", empty, "--json"),
  ]);
  expect(text).toEqual({
    status: 0,
    stdout: `Nothing is loaded in d1, on this machine in ${empty}.\n`,
    stderr: "",
  });
  expect(json.status).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ store: "kv", version: 0, count: 0, statistics: null });
});

test("tells of a database that was loaded before there were statistics, and leaves it so", async () => {
  const old = join(folder, "old.sql");
  const state = "INSERT OR REPLACE INTO state VALUES (1, 1700000000000, 700, '2023-11-14T22:13:20.000Z');";
  await writeFile(old, `${await readFile("data/migrations/0001_collection.sql", "utf8")}${state}`);
  const place = deploymentOptions({ persistTo: folder });
  await runWrangler(["d1", "execute", "DB", ...place, "--yes", "--file", old]);
  const { stdout } = await info("--store", "d1", "--persist-to", folder);
  expect(stdout).toMatch(/^records +700$/m);
  expect(stdout).toMatch(/^loaded at +2023-11-14T22:13:20.000Z$/m);
  expect(stdout).toMatch(/^statistics +none, since it was loaded before/m);
});

test("a store that cannot be read is a failure", async () => {
  await writeFile(join(folder, "file"), "");
  const { status, stderr } = await info("--store", "d1", "--persist-to", join(folder, "file"));
  expect(status).toBe(1);
  expect(stderr).toContain("wrangler d1 execute");
});
