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

const lock = () => lockFile(path, "the store");
const heldBy = (pid: number | undefined) =>
  `Process ${pid} is writing to the store. Run the command again when it has ended.`;

/** Starts a process that takes the lock, reports the error if it cannot, and goes on. */
async function lockElsewhere() {
  const script = `
    const { lockFile } = await import(${JSON.stringify(join(process.cwd(), "data/stores/file-lock.ts"))});
    try {
      globalThis.release = lockFile(${JSON.stringify(path)}, "the store");
      console.log("locked");
    } catch (error) {
      console.log(error.message);
    }
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  const [output] = await once(child.stdout, "data");
  return { child, output: String(output).trimEnd() };
}

test("only one caller holds the lock, and every other caller gets the process id of the holder", () => {
  const release = lock();
  expect(lock).toThrow(heldBy(process.pid));
  release();
  lock()();
});

test("the lock of a killed process can be taken by another process", async () => {
  const { child, output } = await lockElsewhere();
  expect(output).toBe("locked");
  expect(lock).toThrow(heldBy(child.pid));
  child.kill("SIGKILL");
  await once(child, "close");
  const release = lock();
  expect(lock).toThrow(heldBy(process.pid));
  release();
});

test("if ten processes start together, exactly one holds the lock", async () => {
  const all = await Promise.all(Array.from({ length: 10 }, lockElsewhere));
  const [first, ...others] = all
    .map(({ output }) => output)
    .sort()
    .reverse();
  expect(first).toBe("locked");
  for (const other of others) expect(other).toMatch(/ is writing to the store\./);
  for (const { child } of all) child.kill("SIGKILL");
});

test("a missing folder causes an error", () => {
  expect(() => lockFile("/missing/lock", "the store")).toThrow(
    "/missing/lock cannot be written: its folder does not exist",
  );
});

test("a file that is not a lock causes an error", async () => {
  await writeFile(path, "something else, which is long enough not to be a new database".repeat(10));
  expect(lock).toThrow(`${path} cannot be written: file is not a database`);
});
