import { expect, test } from "vitest";
import { runWrangler } from "../../tools/wrangler.ts";

test("an error of wrangler is shown with its command, and without colors", async () => {
  const printed = { stdout: "\x1b[2mout\x1b[22m", stderr: "\x1b[31m✘ \x1b[41;97m[ERROR]\x1b[0m it broke" };
  const wrangler = async () => ({ status: 1, ...printed });
  await expect(runWrangler(["d1", "list"], { wrangler })).rejects.toThrow(
    /^wrangler d1 list --config wrangler\.toml failed:\nout\n✘ \[ERROR\] it broke$/,
  );
});
