import http from "node:http";
import https from "node:https";
import { HEALTH_PATH } from "../src/views/site.ts";
import { printError } from "./command-line/print.ts";
import { enterUserFolder } from "./command-line/program.ts";
import { loadSeed } from "./data/seed-writer.ts";
import { readConfiguration, STORE_NAMES } from "./data/stores/configuration.ts";
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
  const options = parseStartOptions(process.argv.slice(2));
  const { config, persistTo, vars, isHelp, wranglerArgs } = options;
  const configuration = await readConfiguration(config);
  const choice = { config, persistTo, store: vars.STORE };
  // The worker reports an invalid setting.
  const store = STORE_NAMES.find((name) => name === (vars.STORE ?? configuration.vars?.STORE));
  if (store !== undefined && !isHelp) await loadSeed({ ...choice, store });
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
  const server = spawnWrangler(args, { env, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  const protocol = options.protocol ?? configuration.dev?.local_protocol ?? "http";
  server.once("message", (message) => sendFirstRequest(message, String(protocol)));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  server.on("exit", (status) => process.exit(status ?? 1));
}

/** Sends a request when `wrangler dev` is ready, so that the worker logs an invalid setting at once. */
function sendFirstRequest(message: unknown, protocol: string): void {
  const { ip, port } = JSON.parse(String(message));
  const { get, Agent } = protocol === "https" ? https : http;
  // The global agent can use a proxy, with NODE_USE_ENV_PROXY. Nobody has signed the certificate of `wrangler dev`.
  const options = { agent: new Agent(), rejectUnauthorized: false };
  const request = get(`${protocol}://${ip}:${port}${HEALTH_PATH}`, options);
  request.on("response", (response) => response.resume());
  request.on("error", () => undefined);
}

enterUserFolder("start", "dev");
try {
  await start();
} catch (error) {
  printError(describeError(error));
  process.exitCode = 1;
}
