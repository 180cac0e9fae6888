import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { lockFile } from "../../data/stores/file-lock.ts";
import { createFolder } from "../temporary-folder.ts";

let path: string;
beforeEach(() => {
  path = join(createFolder(), "lock");
});

const lock = () => lockFile(path, "the store");
const heldBy = (pid: number | undefined) =>
  `Process ${pid} is writing to the store. Run the command again when it has ended.`;

/** Starts a process that takes the lock, reports the error if it cannot, and goes on. */
async function lockElsewhere() {
  const script = `
    const { lockFile } = await import(${JSON.stringify(resolve("data/stores/file-lock.ts"))});
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
  expect(all.filter(({ output }) => output === "locked")).toHaveLength(1);
  expect(all.filter(({ output }) => / is writing to the store\./.test(output))).toHaveLength(9);
  for (const { child } of all) child.kill("SIGKILL");
});

test("a file that cannot be a lock is reported", async () => {
  expect(() => lockFile("/missing/lock", "the store")).toThrow(
    "/missing/lock cannot be written: its folder does not exist",
  );
  await writeFile(path, "something else, which is long enough not to be a new database".repeat(10));
  expect(lock).toThrow(`${path} cannot be written: file is not a database`);
});
