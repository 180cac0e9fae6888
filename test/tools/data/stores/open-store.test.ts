import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../../../tools/data/stores/open-store.ts";
import { createFolder } from "../../../support/temporary-folder.ts";

const lock = (persistTo: string, action = async () => {}) => withLock({ store: "d1", persistTo }, action);

test("a lock is held by one caller at a time", async () => {
  const folder = createFolder();
  const both = lock(folder, () => lock(folder));
  await expect(both).rejects.toThrow(`Another process is writing to the d1 store in ${folder}.`);
  await lock(folder);
});

test("a file that cannot be locked is named with the reason", async () => {
  const folder = createFolder();
  const path = join(folder, "d1.lock");
  // Long enough not to be a new database.
  await writeFile(path, "something else".repeat(50));
  await expect(lock(folder)).rejects.toThrow(`${path} cannot be written: it is damaged`);
  await expect(lock("/dev/null")).rejects.toThrow("/dev/null/d1.lock cannot be written");
});
