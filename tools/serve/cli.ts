import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { readConfiguration } from "../../data/stores/configuration.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { isLoaded } from "./local-database.ts";
import { createRuntimeConfig, findDatabaseId } from "./runtime-config.ts";

interface Options {
  port: number;
  host: string;
  persistTo: string;
  var: Record<string, string>;
}

const BUNDLE = join(PROJECT, "dist/worker/index.js");

/** The executable of workerd. */
const WORKERD: string = createRequire(import.meta.url)("workerd").default;

const program = createProgram("npm run serve --")
  .description("serve the collection with the build of `npm run build`, in workerd alone")
  .option("--port <number>", "port to listen at", createWholeNumberParser(1, 65_535), 8787)
  .option("--host <address>", "address to listen at; 0.0.0.0 for all", "127.0.0.1")
  .option("--persist-to <folder>", "folder of the data, as for `npm start`", join(PROJECT, ".wrangler/state"))
  .option("--var <NAME:VALUE>", "set a variable of wrangler.toml, may be repeated", addVariable, {})
  .action(serve);

await runProgram(program);

async function serve({ port, host, persistTo, var: assigned }: Options): Promise<void> {
  if (!existsSync(BUNDLE)) throw new Error("The worker is not built. Run `npm run build` first.");
  const configuration = await readConfiguration();
  const variables = requireVariables({ ...configuration.vars, ...assigned });
  await requireFreePort(port, host);
  const data = join(resolve(persistTo), "v3");
  if (!(await isLoaded(join(data, "d1"), findDatabaseId(configuration)))) await prepareStore(persistTo);
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const config = createRuntimeConfig({
    configuration,
    variables,
    listen: address,
    bundle: BUNDLE,
    assets: join(PROJECT, "dist/assets"),
    data,
  });
  for (const folder of ["d1", "cron"]) mkdirSync(join(data, folder), { recursive: true });
  const file = join(data, "serve.capnp");
  writeFileSync(file, config);
  console.log(`Serving at http://${address}`);
  // workerd takes the place of this process, so that nothing else stays in memory and signals reach it.
  if (!process.execve)
    throw new Error("npm run serve cannot run here: Node cannot start a program in its own place.");
  process.execve(WORKERD, [WORKERD, "serve", "--experimental", file], process.env);
}

/**
 * Requires settings that work without Cloudflare's platform.
 * @returns the variables as texts
 */
function requireVariables(variables: Record<string, unknown>): Record<string, string> {
  const { STORE, RATE_LIMIT } = variables;
  if (STORE !== "d1")
    throw new Error(`STORE is ${JSON.stringify(STORE)}, but npm run serve serves from "d1" only.`);
  if (RATE_LIMIT !== "off")
    throw new Error('RATE_LIMIT must be "off" for npm run serve, because workerd has no rate limits.');
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}

/** Applies pending migrations, and loads the seed if the store is empty. */
async function prepareStore(persistTo: string): Promise<void> {
  // Importing the simulator takes half a second.
  const { loadSeed } = await import("../../data/load-seed.ts");
  await loadSeed({ persistTo, store: "d1" });
}

/** @throws if another process listens at the port */
async function requireFreePort(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

/** @throws InvalidArgumentError if there is no colon */
function addVariable(assignment: string, variables: Record<string, string>): Record<string, string> {
  const [name = "", ...value] = assignment.split(":");
  if (value.length === 0) throw new InvalidArgumentError("It must be NAME:VALUE, for example GROW:on.");
  return { ...variables, [name]: value.join(":") };
}
