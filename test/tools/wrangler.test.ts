import { expect, test, vi } from "vitest";
import { runWrangler } from "../../tools/wrangler.ts";

test("an error of wrangler is shown with its command, and without colors", async () => {
  const printed = { stdout: "\x1b[2mout\x1b[22m", stderr: "\x1b[31m✘ \x1b[41;97m[ERROR]\x1b[0m it broke" };
  const wrangler = async () => ({ status: 1, ...printed });
  await expect(runWrangler(["d1", "list"], { wrangler })).rejects.toThrow(
    /^wrangler d1 list --config wrangler\.toml failed:\nout\n✘ \[ERROR\] it broke$/,
  );
});

test("a command that Cloudflare does not answer is named after a minute", () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const print = vi.spyOn(console, "error").mockImplementation(() => {});
  void runWrangler(["d1", "list"], { wrangler: () => new Promise(() => {}) });
  vi.advanceTimersByTime(59_000);
  expect(print).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(print).toHaveBeenCalledWith(
    expect.stringMatching(/^Still waiting for `wrangler d1 list --config wrangler.toml`.*safe to stop/),
  );
});
