import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import {
  createProgram,
  createWholeNumberParser,
  enterUserFolder,
  NPM_ADVICE,
  parseNonEmpty,
  runCommand,
} from "./command-line/program.ts";
import { loadSampleData } from "./data/sample-data.ts";
import { readConfiguration, requireValidSettings, STORE_NAMES } from "./data/stores/configuration.ts";
import { formatValue } from "./messages.ts";
import { nameConfiguration, spawnWrangler } from "./wrangler.ts";

// Loads the sample data into the store that the options select, if nothing was ever loaded there. Then runs `wrangler dev`, without a rate
// limit, and with links that repeat the address of the request.

interface StartOptions {
  port?: number;
  ip?: string;
  var?: Record<string, string>;
  persistTo?: string;
  config?: string;
}

const program = createProgram("npm start --")
  .description("Serve the collection on this machine, at first with the sample data.")
  .option("--port <number>", "port to listen on (default: 8787)", createWholeNumberParser(0, 65_535))
  .option("--ip <address>", "address to listen on; 0.0.0.0 for all IPv4 addresses (default: localhost)")
  .option("--var <NAME:VALUE...>", "variables to set, such as PREFER:delay=200", addVariable)
  .option("--persist-to <dir>", "folder of the local store (default: .wrangler/state)", parsePath)
  .option("--config <file>", "configuration file (default: wrangler.toml)", parsePath)
  .usage("[options] [-- <options of wrangler dev>]")
  .argument("[others...]", "other options of `wrangler dev`, unchecked, after a second --")
  .showHelpAfterError("For all options, run: npm start -- --help")
  .action(start);

/** PUBLIC_ORIGIN and the rate limit are for deployments. */
const LOCAL_VARS = { RATE_LIMIT: "off", PUBLIC_ORIGIN: "" };

async function start(others: string[], options: StartOptions): Promise<void> {
  const [first] = others;
  const isValue = first !== undefined && !first.startsWith("-");
  if (isValue)
    program.error(`error: ${formatValue(first)} follows no option. ${NPM_ADVICE}: npm start -- --port 9000`);
  const { config, persistTo, var: vars = {}, ...address } = options;
  const configuration = await readConfiguration(config);
  const settings = { ...configuration.vars, ...vars };
  // Without previews, which this command does not serve.
  requireValidSettings({ ...configuration, previews: undefined, vars: settings });
  const choice = { config, persistTo, store: vars.STORE };
  const store = STORE_NAMES.find((name) => name === settings.STORE);
  if (store !== undefined) await loadSampleData({ ...choice, store });
  const env = {
    // For the build, which prepares the store again after a change of wrangler.toml.
    STORE_CHOICE: JSON.stringify(choice),
    // The Local Explorer runs any SQL, and a proxy that sends `Host: localhost` would make it public.
    X_LOCAL_EXPLORER: "false",
    // Traces of requests double their time, and nothing deletes them.
    X_LOCAL_OBSERVABILITY: process.env.X_LOCAL_OBSERVABILITY ?? "false",
  };
  const given = Object.entries({ ...address, "persist-to": persistTo });
  const args = [
    ...Object.entries({ ...LOCAL_VARS, ...vars }).map(([name, value]) => `--var=${name}:${value}`),
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    // By default, wrangler takes the origin of local requests from `routes`.
    "--infer-origin-from-routes=false",
    ...others,
  ];
  const server = spawnWrangler(nameConfiguration(["dev", ...args], config), { env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  server.on("exit", (status) => process.exit(status ?? 1));
}

function parsePath(text: string): string {
  return resolve(parseNonEmpty(text));
}

function addVariable(text: string, vars: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It must be a name and a value, such as PREFER:delay=200.");
  return { ...vars, [name]: value };
}

enterUserFolder("start", "dev");
await runCommand(program, process.argv.slice(2));
