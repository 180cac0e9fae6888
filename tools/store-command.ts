import type { StoreChoice } from "../data/writer/configuration.ts";

/**
 * Formats a command of `npm run data` for a message, with the options that chose a store, so that it uses the same one.
 * @param command such as `info`
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

/** Quotes a word for a shell, unless it has only characters that mean themselves. */
function quoteForShell(word = ""): string {
  return /^[\w./:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
