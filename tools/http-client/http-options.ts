import type { Command } from "commander";
import { createWholeNumberParser } from "../command-line/options.ts";
import { parseCollectionUrl } from "./collection-url.ts";

const MAX_CONCURRENCY = 16;
const MAX_DELAY_MS = 3_600_000;

/**
 * Adds the argument and the options of commands that send requests to another deployment: a `CollectionUrl`, and
 * `ThrottleOptions`.
 * @param parse parses the URL, for commander
 */
export function addHttpOptions(command: Command, parse = parseCollectionUrl): Command {
  return command
    .argument("<url>", "base URL of the service, or URL of its collection", parse)
    .option(
      "--delay <ms>",
      "minimum milliseconds from the start of one request to the start of the next",
      createWholeNumberParser(0, MAX_DELAY_MS),
      0,
    )
    .option(
      "--concurrency <n>",
      "maximum number of requests at the same time",
      createWholeNumberParser(1, MAX_CONCURRENCY),
      1,
    );
}
