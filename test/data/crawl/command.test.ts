import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { addCrawl } from "../../../data/crawl/command.ts";

/** What the command says of its arguments; none of these gets as far as a request. */
async function refuse(...args: string[]): Promise<string> {
  const program = new Command().exitOverride();
  addCrawl(program);
  let said = "";
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeErr: (text) => {
        said += text;
      },
    });
  }
  await program.parseAsync(["crawl", ...args], { from: "user" }).catch(() => {});
  return said;
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
    expect(await refuse(...args)).toContain(message);
  });
});
