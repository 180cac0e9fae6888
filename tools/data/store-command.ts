import { quoteForShell } from "../../src/escape.ts";
import type { StoreChoice } from "./stores/configuration.ts";

/** Formats an `npm run data` command for a message, with options that select the same store. */
export function formatDataCommand(
  command: string,
  { remote, store, persistTo, config }: StoreChoice,
): string {
  const named = { "--store": store, "--persist-to": persistTo, "--config": config };
  const options = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [name, quoteIfNeeded(value)],
  );
  return ["npm run data --", command, ...(remote ? ["--remote"] : []), ...options].join(" ");
}

function quoteIfNeeded(word: string): string {
  return /^[\w./:@+-]+$/.test(word) ? word : quoteForShell(word);
}
