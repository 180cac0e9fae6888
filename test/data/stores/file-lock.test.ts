import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFile } from "../../../data/stores/file-lock.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-lock-test-"));
  path = join(folder, "lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts a process that takes the lock, reports it and keeps it. */
async function holdElsewhere() {
  const script = `
    const { lockFile } = await import(${JSON.stringify(join(process.cwd(), "data/stores/file-lock.ts"))});
    console.log(JSON.stringify(lockFile(${JSON.stringify(path)})));
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  const [output] = await once(child.stdout, "data");
  return { child, lock: JSON.parse(String(output)) };
}

test("only one caller holds the lock, and every other caller gets the process id of the holder", () => {
  const first = lockFile(path);
  expect(lockFile(path)).toEqual({ isHeld: false, heldBy: process.pid });
  if (first.isHeld) first.release();
  expect(lockFile(path).isHeld).toBe(true);
});

test("the lock of a killed process can be taken by another process", async () => {
  const { child, lock } = await holdElsewhere();
  expect(lock).toEqual({ isHeld: true });
  expect(lockFile(path)).toEqual({ isHeld: false, heldBy: child.pid });
  child.kill("SIGKILL");
  await once(child, "close");
  const taken = lockFile(path);
  expect(taken.isHeld).toBe(true);
  expect(lockFile(path)).toEqual({ isHeld: false, heldBy: process.pid });
});

test("if ten processes start together, exactly one holds the lock", async () => {
  const holders = await Promise.all(Array.from({ length: 10 }, holdElsewhere));
  expect(holders.filter(({ lock }) => lock.isHeld)).toHaveLength(1);
  for (const { child } of holders) child.kill("SIGKILL");
});

test("a file that is not a lock causes an error", async () => {
  await writeFile(path, "something else, which is long enough not to be a new database".repeat(10));
  expect(() => lockFile(path)).toThrow("not a database");
});
