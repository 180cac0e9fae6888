import { basename } from "node:path";

/** The source of the records that the commands in data/seed/README.md generate. */
const GENERATED = "generated";

/** The hash of these records. After you have generated others, a test shows theirs. */
export const GENERATED_HASH = "b918409b47108bccebb1";

/**
 * Lists the sources of a load: the names of its files. The records show whether they are generated, because anybody can change the files
 * of the sample data.
 * @param files Paths; `-` is standard input
 * @param source Replaces the names of the files
 */
export function getSourceNames(files: string[], source: string | undefined, hash: string): string[] {
  if (source === undefined && hash === GENERATED_HASH) return [GENERATED];
  const getName = (file: string) => (file === "-" ? "standard input" : basename(file));
  const names = source === undefined ? files.map(getName) : [source];
  return [...new Set(names)].map((name) => (name === GENERATED ? `"${name}"` : name));
}

/** The maximum length of `source` in a snapshot. */
const MAX_SOURCE_LENGTH = 100;

/** Formats the `source` of a snapshot: printable ASCII, so that it can be a header. `decodeURIComponent` returns the other characters. */
export function joinSources(sources: string[]): string {
  const characters = Array.from(sources.join(", ").toWellFormed(), (character) =>
    /[ -$&-~]/.test(character) ? character : encodeURIComponent(character),
  );
  const text = characters.join("");
  if (text.length <= MAX_SOURCE_LENGTH) return text;
  const kept = characters.slice(0, MAX_SOURCE_LENGTH - 3);
  while (kept.join("").length > MAX_SOURCE_LENGTH - 3) kept.pop();
  return `${kept.join("")}...`;
}
