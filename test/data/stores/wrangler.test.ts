import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWrangler } from "../../../data/stores/wrangler.ts";
import { createFolder } from "../../temporary-folder.ts";

const folder = createFolder();

test("an error message of wrangler is reported without colours, even if wrangler prints colours", async () => {
  const program = join(folder, "wrangler.mjs");
  const source = `
    process.stdout.write("\\x1b[2mout\\x1b[22m");
    process.stderr.write("\\x1b[31m✘ \\x1b[41;97m[ERROR]\\x1b[0m it broke");
    process.exit(1);`;
  await writeFile(program, source);
  await expect(runWrangler(["d1", "list"], { program })).rejects.toThrow(
    /^wrangler d1 list failed:\nout\n✘ \[ERROR\] it broke$/,
  );
});
