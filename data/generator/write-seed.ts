/** Writes the static seed: `node data/generator/write-seed.ts [directory]`, by default into data/seed. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seedFiles } from "./seed.ts";

const directory = process.argv[2] ?? join(import.meta.dirname, "../seed");

await mkdir(directory, { recursive: true });
for (const { name, text } of seedFiles()) {
  await writeFile(join(directory, name), text);
}
