import type { Command } from "commander";
import { createWholeNumberParser } from "../command-line/options.ts";
import { parseCollection } from "./address.ts";

const MOST_CONCURRENCY = 16;
const LONGEST_DELAY_MS = 3_600_000;

/**
 * Adds to a command what it needs to ask another deployment: which one, as a `Collection`, and `PaceOptions`.
 * @param parse reads the address, for commander
 */
export function addAsking(command: Command, parse = parseCollection): Command {
  return command
    .argument("<url>", "base address of the service, or address of its collection", parse)
    .option(
      "--delay <ms>",
      "milliseconds from one request to the next",
      createWholeNumberParser(0, LONGEST_DELAY_MS),
      0,
    )
    .option("--concurrency <n>", "requests at a time", createWholeNumberParser(1, MOST_CONCURRENCY), 1);
}
