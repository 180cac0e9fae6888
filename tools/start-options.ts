import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatValue } from "./messages.ts";

/** The options of `wrangler dev` whose values are paths. Wrangler would resolve relative paths from the project's folder. */
export const PATH_OPTIONS = [
  "assets",
  "config",
  "https-cert-path",
  "https-key-path",
  "persist-to",
  "tsconfig",
];

/** The options of `wrangler dev` that take all values up to the next option: `--var PREFER:delay=200 FAULTS:on`. */
export const LIST_OPTIONS = [
  "alias",
  "compatibility-flags",
  "define",
  "routes",
  "tunnel-allowed-mail",
  "var",
];

/** Options of `wrangler dev` that would change settings without a check, or that do something else than users expect. */
export const REFUSED_OPTIONS = new Map([
  ["cwd", "Paths are relative to the current folder."],
  ["env", "Set variables with --var NAME:VALUE."],
  ["env-file", "Set variables with --var NAME:VALUE."],
  ["host", "To be reachable from other machines, use --ip 0.0.0.0."],
]);

/** The options whose values are needed here, and those with a second name. */
const OPTIONS = {
  config: { type: "string", short: "c" },
  "persist-to": { type: "string" },
  env: { type: "string", short: "e" },
  help: { type: "boolean", short: "h" },
} as const;

/** The most frequent options. If the `--` before them is missing, npm takes them, and passes only their values. */
const USUAL_OPTIONS = ["config", "ip", "persist-to", "port", "var"];
const ADVICE = 'npm takes options for itself unless they follow "--": npm start -- --port 9000';

/**
 * Parses the arguments of `npm start`, which are those of `wrangler dev`.
 * @returns Also the arguments for wrangler, with absolute paths
 * @throws Error for arguments that wrangler would ignore, or understand in a different way than our commands
 */
export function parseStartOptions(args: string[]) {
  const taken = USUAL_OPTIONS.find((name) => process.env[`npm_config_${name.replaceAll("-", "_")}`]);
  if (taken !== undefined) throw new Error(`--${taken} did not arrive: ${ADVICE}`);
  const list = listArguments(args);
  for (const { name } of list)
    if (REFUSED_OPTIONS.has(name))
      throw new Error(`npm start does not support --${name}. ${REFUSED_OPTIONS.get(name)}`);
  const find = (option: string) => list.filter(({ name }) => name === option);
  const getPath = (option: "config" | "persist-to") => {
    const [given, ...others] = find(option);
    // Wrangler would accept several, and use another one than our commands.
    if (given && (!given.value || others.length > 0)) throw new Error(`--${option} needs one path.`);
    return given?.value;
  };
  return {
    config: getPath("config"),
    persistTo: getPath("persist-to"),
    // If a variable is set twice, the last value counts.
    vars: Object.fromEntries(find("var").flatMap(({ value }) => (value ? [value.split(/:(.*)/s)] : []))),
    isHelp: find("help").length > 0,
    wranglerArgs: list.map(({ text }) => text),
  };
}

/** Lists options and values. A value without an inline `=` can have an entry of its own, with the name of its option. */
function listArguments(args: string[]): { name: string; value: string | undefined; text: string }[] {
  const { tokens } = parseArgs({
    args: args.map(normalizeName),
    options: OPTIONS,
    strict: false,
    tokens: true,
  });
  /** The option that can take the next value. */
  let open: string | undefined;
  return tokens.flatMap((token) => {
    if (token.kind === "option-terminator") return [];
    const name = token.kind === "option" ? token.name : open;
    // Wrangler would make a variable of it.
    if (name === undefined) throw new Error(`${formatValue(token.value)} follows no option. ${ADVICE}`);
    const value = resolveValue(name, token.value);
    open = value === undefined || LIST_OPTIONS.includes(name) ? name : undefined;
    if (token.kind === "positional") return [{ name, value, text: String(value) }];
    return [{ name, value, text: value === undefined ? token.rawName : `--${name}=${value}` }];
  });
}

function resolveValue(name: string, value: string | undefined): string | undefined {
  return value && PATH_OPTIONS.includes(name) ? resolve(value) : value;
}

/** Wrangler accepts `--persistTo` for `--persist-to`, and so on. */
function normalizeName(arg: string): string {
  return arg.replace(/^--[^=]+/, (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}
