import type { Env } from "../src/bindings.ts";
import { requireSettings } from "../src/settings.ts";
import { printError } from "./command-line/print.ts";
import { enterUserFolder } from "./command-line/program.ts";
import { loadSampleData } from "./data/sample-data.ts";
import { type Configuration, readConfiguration, STORE_NAMES } from "./data/stores/configuration.ts";
import { describeError } from "./messages.ts";
import { parseStartOptions } from "./start-options.ts";
import { nameConfiguration, spawnWrangler } from "./wrangler.ts";

// Loads the sample data into the store that the arguments select, if nothing was ever loaded there. Then runs `wrangler dev` with these
// arguments, without a rate limit, and with links that repeat the address of the request.

/**
 * PUBLIC_ORIGIN and the rate limit are for deployments. By default, wrangler would take the origin of local requests from `routes`. This
 * option is the last, because the list of `--var` would go on with an argument of the user.
 */
const LOCAL_OPTIONS = ["--var=RATE_LIMIT:off", "--var=PUBLIC_ORIGIN:", "--infer-origin-from-routes=false"];

async function start(): Promise<void> {
  const { config, persistTo, vars, isHelp, wranglerArgs } = parseStartOptions(process.argv.slice(2));
  const configuration = await readConfiguration(config);
  const choice = { config, persistTo, store: vars.STORE };
  const settings = { ...configuration.vars, ...vars };
  if (!isHelp) requireValidSettings(configuration, settings);
  const store = STORE_NAMES.find((name) => name === settings.STORE);
  if (store !== undefined && !isHelp) await loadSampleData({ ...choice, store });
  const env = {
    // For the build, which prepares the store again after a change of wrangler.toml.
    STORE_CHOICE: JSON.stringify(choice),
    // The Local Explorer runs any SQL, and a proxy that sends `Host: localhost` would make it public.
    X_LOCAL_EXPLORER: "false",
    // Traces of requests double their time, and nothing deletes them.
    X_LOCAL_OBSERVABILITY: process.env.X_LOCAL_OBSERVABILITY ?? "false",
  };
  const command = config === undefined ? nameConfiguration(["dev"]) : ["dev"];
  const args = [...command, ...LOCAL_OPTIONS, ...wranglerArgs];
  const server = spawnWrangler(args, { env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  server.on("exit", (status) => process.exit(status ?? 1));
}

/** Checks the settings as the worker does at a request. Here, the tables of the configuration are the bindings. */
function requireValidSettings(configuration: Configuration, settings: object): void {
  const { d1_databases, kv_namespaces, ratelimits, assets } = configuration;
  const bindings = {
    DB: d1_databases?.[0],
    KV: kv_namespaces?.[0],
    ASSETS: assets,
    RATE_LIMITER: ratelimits?.[0],
  };
  requireSettings({ ...bindings, ...settings } as unknown as Env);
}

enterUserFolder("start", "dev");
try {
  await start();
} catch (error) {
  printError(describeError(error));
  process.exitCode = 1;
}
