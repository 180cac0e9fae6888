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
  const { values, tokens } = parse(args);
  for (const token of tokens)
    if (token.kind === "option" && REFUSED_OPTIONS.has(token.name))
      throw new Error(`npm start does not support ${token.rawName}. ${REFUSED_OPTIONS.get(token.name)}`);
  return {
    config: getPath(tokens, "config"),
    persistTo: getPath(tokens, "persist-to"),
    // If a variable is set twice, the last value counts.
    vars: Object.fromEntries(listVars(tokens).map((text) => text.split(/:(.*)/s))),
    protocol: values["local-protocol"],
    isHelp: values.help === true,
    wranglerArgs: tokens.flatMap(formatToken),
  };
}

type Token = ReturnType<typeof parse>["tokens"][number];

function parse(args: string[]) {
  const paths = Object.fromEntries(PATH_OPTIONS.map((name) => [name, { type: "string" as const }]));
  return parseArgs({
    args: args.map(normalizeName),
    options: {
      ...paths,
      config: { type: "string", short: "c" },
      env: { type: "string", short: "e" },
      "local-protocol": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    tokens: true,
  });
}

/** Wrangler accepts `--persistTo` for `--persist-to`, and so on. */
function normalizeName(arg: string): string {
  return arg.replace(/^--[^=]+/, (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

/** @throws Error if the path is missing. Wrangler would accept several, and use another one than our commands */
function getPath(tokens: Token[], name: string): string | undefined {
  const given = tokens.flatMap((token) =>
    token.kind === "option" && token.name === name ? [token.value] : [],
  );
  if (given.length === 0) return undefined;
  if (given.length === 1 && given[0]) return resolve(given[0]);
  throw new Error(`--${name} needs one path.`);
}

/** Lists the `NAME:VALUE` pairs of `--var`. @throws Error for a value without an option, from which wrangler would make a variable */
function listVars(tokens: Token[]): string[] {
  /** The option that can take the next value. */
  let option: string | undefined;
  return tokens.flatMap((token) => {
    if (token.kind === "positional" && option === undefined)
      throw new Error(`${formatValue(token.value)} follows no option. ${ADVICE}`);
    if (token.kind === "option") option = token.name;
    const value = token.kind === "option-terminator" ? undefined : token.value;
    if (option === undefined || value === undefined) return [];
    const pairs = option === "var" ? [value] : [];
    if (!LIST_OPTIONS.includes(option)) option = undefined;
    return pairs;
  });
}

/** Formats the arguments of a token, with an absolute path. */
function formatToken(token: Token): string[] {
  if (token.kind === "option-terminator") return ["--"];
  if (token.kind === "positional") return [token.value];
  const { name, rawName, value, inlineValue } = token;
  if (value === undefined) return [rawName];
  const argument = PATH_OPTIONS.includes(name) ? resolve(value) : value;
  return inlineValue ? [`${rawName}=${argument}`] : [rawName, argument];
}
