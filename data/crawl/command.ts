import type { Command } from "commander";
import { type Collection, parseCollection } from "../../client/address.ts";
import { wholeNumber } from "../options.ts";
import { type CrawlOptions, crawl } from "./crawl.ts";

const MOST_CONCURRENCY = 16;

/** Adds the command `crawl` to a program. */
export function addCrawl(program: Command): void {
  program
    .command("crawl")
    .description("copy a collection from another deployment: JSON Lines, newest first")
    .argument("<url>", "base address of the service, or address of its collection", parseCollection)
    .option(
      "--out <file>",
      "file to write, and to go on with if it was begun; - is standard output",
      "records.jsonl",
    )
    .option("--restart", "begin anew, whatever the file holds")
    .option("--from-page <n>", "begin with this page, for older records only", wholeNumber(1), 1)
    .option("--delay <ms>", "milliseconds from one request to the next", wholeNumber(0, 3_600_000), 0)
    .option("--concurrency <n>", "requests at a time", wholeNumber(1, MOST_CONCURRENCY), 1)
    .action((collection: Collection, options: CrawlOptions) => crawl(collection, options));
}
