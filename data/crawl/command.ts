import type { Command } from "commander";
import { wholeNumber } from "../../tools/command-line/options.ts";
import type { Collection } from "../../tools/http-client/address.ts";
import { addAsking } from "../../tools/http-client/command.ts";
import { parseOut } from "../formats/output-file.ts";
import { type CrawlOptions, crawl } from "./crawl.ts";

/** Adds the command `crawl` to a program. */
export function addCrawl(program: Command): void {
  addAsking(program.command("crawl"))
    .description("copy a collection from another deployment: JSON Lines, newest first")
    .option(
      "--out <file>",
      "file to write, and to go on with if it was begun; - is standard output",
      parseOut,
      "records.jsonl",
    )
    .option("--restart", "begin anew, whatever the file holds")
    .option("--from-page <n>", "begin with this page, for older records only", wholeNumber(1), 1)
    .action((collection: Collection, options: CrawlOptions) => crawl(collection, options));
}
