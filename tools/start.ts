import http from "node:http";
import https from "node:https";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { HEALTH_PATH } from "../src/views/site.ts";
import { printError } from "./command-line/print.ts";
import { enterUserFolder } from "./command-line/program.ts";
import { loadSeed } from "./data/seed-writer.ts";
import {
  type Configuration,
  readConfiguration,
  STORE_NAMES,
  type StoreChoice,
} from "./data/stores/configuration.ts";
import { describeError } from "./messages.ts";
import { nameConfiguration, spawnWrangler } from "./wrangler.ts";

// Loads the sample data into the store that the arguments select, if nothing was ever loaded there. Then runs `wrangler dev` with these
// arguments, without a rate limit, and with links that repeat the address of the request.

/** The options of `wrangler dev` whose values are paths. Wrangler would resolve relative paths from the project's folder. */
const PATH_OPTIONS = ["persist-to", "config"];

/** By default, wrangler would take the origin of local requests from `routes`. PUBLIC_ORIGIN and the rate limit are for deployments. */
const LOCAL_OPTIONS = ["--infer-origin-from-routes=false", "--var=RATE_LIMIT:off", "--var=PUBLIC_ORIGIN:"];

const { values, tokens } = parseArgs({
  args: process.argv.slice(2).map(normalizeName),
  options: {
    config: { type: "string", short: "c" },
    "persist-to": { type: "string" },
    "local-protocol": { type: "string" },
    var: { type: "string", multiple: true },
    env: { type: "string", short: "e" },
    "env-file": { type: "string" },
    help: { type: "boolean", short: "h" },
  },
  strict: false,
  tokens: true,
});

/** Wrangler accepts `--persistTo` for `--persist-to`, and so on. */
function normalizeName(arg: string): string {
  return arg.replace(/^--[^=]+/, (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

/** Rejects options that would set variables without a check. */
function requireCheckedVariables(): void {
  for (const token of tokens)
    if (token.kind === "option" && ["env", "env-file"].includes(token.name))
      throw new Error(`npm start does not support ${token.rawName}. Set variables with --var NAME:VALUE.`);
}

/** @throws Error if the path is missing. Wrangler would accept several, and use another one than our commands */
function getPath(option: "config" | "persist-to"): string | undefined {
  const given = tokens.filter((token) => token.kind === "option" && token.name === option);
  const { [option]: value } = values;
  if (given.length <= 1 && typeof value !== "boolean") return value;
  throw new Error(`--${option} needs one path.`);
}

/** Loads the sample data into an empty store. The worker reports an invalid setting. */
async function prepareStore(configuration: Configuration, choice: StoreChoice): Promise<void> {
  // If a variable is set twice, the last value counts.
  const vars = Object.fromEntries(listVars().map((text) => text.split(/:(.*)/s)));
  const setting = vars.STORE ?? configuration.vars?.STORE;
  const store = STORE_NAMES.find((name) => name === setting);
  if (store !== undefined) await loadSeed({ ...choice, store });
}

/** Lists the `NAME:VALUE` pairs of `--var`. One `--var` accepts several pairs: `--var PREFER:delay=200 FAULTS:on`. */
function listVars(): string[] {
  let option: string | undefined;
  return tokens.flatMap((token) => {
    if (token.kind !== "positional") option = token.kind === "option" ? token.name : undefined;
    const value = token.kind === "option-terminator" ? undefined : token.value;
    return option === "var" && value !== undefined ? [value] : [];
  });
}

/** Returns the arguments of the user, with absolute paths. */
function listWranglerArgs(): string[] {
  return tokens.flatMap((token) => {
    if (token.kind === "option-terminator") return ["--"];
    if (token.kind === "positional") return [token.value];
    const { name, rawName, value, inlineValue } = token;
    if (value === undefined) return [rawName];
    const argument = PATH_OPTIONS.includes(name) ? resolve(value) : value;
    return inlineValue ? [`${rawName}=${argument}`] : [rawName, argument];
  });
}

/** @param protocol `http` or `https` */
function runWranglerDev(protocol: string): void {
  // Turns off the Local Explorer, which runs any SQL: a proxy that sends `Host: localhost` would make the explorer public.
  const env = { STORE_IS_PREPARED: "1", X_LOCAL_EXPLORER: "false" };
  const command = values.config === undefined ? nameConfiguration(["dev"]) : ["dev"];
  const args = [...command, ...LOCAL_OPTIONS, ...listWranglerArgs()];
  const server = spawnWrangler(args, { env, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  server.once("message", (message) => sendFirstRequest(message, protocol));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  server.on("exit", (status) => process.exit(status ?? 1));
}

/** Sends a request when `wrangler dev` is ready, so that the worker logs an invalid setting at once. */
function sendFirstRequest(message: unknown, protocol: string): void {
  const { ip, port } = JSON.parse(String(message));
  const { get } = protocol === "https" ? https : http;
  // Nobody has signed the certificate of `wrangler dev`.
  const request = get(`${protocol}://${ip}:${port}${HEALTH_PATH}`, { rejectUnauthorized: false });
  request.on("response", (response) => response.resume());
  request.on("error", () => undefined);
}

async function start(): Promise<void> {
  requireCheckedVariables();
  const choice = { config: getPath("config"), persistTo: getPath("persist-to") };
  if (values.help) return runWranglerDev("http");
  const configuration = await readConfiguration(choice.config);
  await prepareStore(configuration, choice);
  const protocol = values["local-protocol"] ?? configuration.dev?.local_protocol ?? "http";
  runWranglerDev(String(protocol));
}

enterUserFolder("start", "dev");
try {
  await start();
} catch (error) {
  printError(describeError(error));
  process.exitCode = 1;
}
