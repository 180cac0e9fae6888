import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { addCrawl } from "../../../../tools/data/crawl/crawl.ts";

/** The error message for wrong arguments. No request is sent. */
async function runWrong(...args: string[]): Promise<string> {
  const program = new Command().exitOverride();
  addCrawl(program);
  let output = "";
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeErr: (text) => {
        output += text;
      },
    });
  }
  await program.parseAsync(["crawl", ...args], { from: "user" }).catch(() => {});
  return output;
}

describe("wrong usage", () => {
  test.each([
    [[], "missing required argument 'url'"],
    [["counts"], "value 'counts' is invalid for argument 'url'. It must be a URL"],
    [["ftp://counts.example"], "It must start with http:// or https://."],
    [["http://localhost:1", "--concurrency", "0"], "It must be a whole number, 1 to 16."],
    [["http://localhost:1", "--concurrency", "17"], "It must be a whole number, 1 to 16."],
    [["http://localhost:1", "--delay", "-1"], "'-1' is invalid. It must be a whole number, 0 to 3600000."],
    [
      ["http://localhost:1", "--from-page", "last"],
      "'last' is invalid. It must be a whole number, 1 or more.",
    ],
    [["http://localhost:1", "--out"], "argument missing"],
    [["http://localhost:1", "http://localhost:2"], "too many arguments"],
    [["http://localhost:1", "--quick"], "unknown option '--quick'"],
  ])("%j", async (args, message) => {
    expect(await runWrong(...args)).toContain(message);
  });
});
