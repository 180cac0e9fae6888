import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockFile } from "../../../../tools/data/stores/open-store.ts";
import { createFolder } from "../../../support/temporary-folder.ts";

test("a lock is held by one caller at a time", () => {
  const path = join(createFolder(), "lock");
  const lock = () => lockFile(path, "the store");
  const release = lock();
  expect(lock).toThrow("Another process is writing to the store");
  release();
  lock()();
});

test("a file that cannot be locked is named with the reason", async () => {
  const path = join(createFolder(), "lock");
  // Long enough not to be a new database.
  await writeFile(path, "something else".repeat(50));
  expect(() => lockFile(path, "the store")).toThrow(`${path} cannot be written: it is damaged`);
  expect(() => lockFile("/dev/null/lock", "the store")).toThrow("/dev/null/lock cannot be written");
});
