import type { StoreChoice } from "./stores/configuration.ts";

/**
 * Formats an `npm run data` command for a message, with options that select the same store.
 * @param command The command, such as `info`
 */
export function formatDataCommand(
  command: string,
  { remote, store, persistTo, config }: StoreChoice,
): string {
  const named = { "--store": store, "--persist-to": persistTo, "--config": config };
  const options = Object.entries(named).filter(([, value]) => value !== undefined);
  return [
    "npm run data --",
    command,
    ...(remote ? ["--remote"] : []),
    ...options.flat().map(quoteForShell),
  ].join(" ");
}

/** Quotes a word for a shell if it contains special characters. */
function quoteForShell(word = ""): string {
  return /^[\w./:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
