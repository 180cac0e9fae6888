import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadSeed } from "../data/seed-writer.ts";
import { readConfiguration, SEED_STORE } from "../data/writer/configuration.ts";
import { spawnWrangler } from "../data/writer/wrangler.ts";
import { requireValidSettings } from "./check-settings.ts";
import { enterUserFolder } from "./command-line/program.ts";

// Serves the collection on this machine, with the seed if the store is empty, and without a rate limit. The arguments are those of
// `wrangler dev`; its configuration, folder and store are used for the seed too.

const HELP = `Usage: npm start -- [options of wrangler dev]

Serves the collection on this machine, at first with the seed. These options are the ones that matter here:
  --port 9000                  port, instead of 8787
  --var PREFER:delay=200       a setting for this run: PREFER, FAULTS, STORE, PUBLIC_ORIGIN or RATE_LIMIT
  --persist-to DIR             folder of the local store, as for npm run data
  --config FILE                configuration, instead of wrangler.toml

All options of wrangler dev:`;

/** The options of `wrangler dev` whose values are paths. Wrangler itself would resolve them from the project's folder. */
const PATH_OPTIONS = ["persist-to", "config"];

const args = process.argv.slice(2);

function parseOptions() {
  return parseArgs({
    args,
    options: {
      config: { type: "string", short: "c" },
      "persist-to": { type: "string" },
      var: { type: "string", multiple: true },
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    tokens: true,
  });
}

/** Replaces the paths in `args` by absolute ones, which are the same for wrangler. */
function resolvePaths(): void {
  for (const token of parseOptions().tokens) {
    if (token.kind !== "option" || !PATH_OPTIONS.includes(token.name) || !token.value) continue;
    const path = resolve(token.value);
    if (token.inlineValue) args[token.index] = `--${token.name}=${path}`;
    else args[token.index + 1] = path;
  }
}

/** Loads the seed if the store is empty, unless only help is wanted. */
async function prepareStore(): Promise<void> {
  enterUserFolder("start", "dev");
  resolvePaths();
  const { values, tokens } = parseOptions();
  if (values.help) return console.log(HELP);
  const [config, persistTo] = [values.config?.toString(), values["persist-to"]?.toString()];
  const configuration = await readConfiguration(config);
  // `NAME:VALUE`; of a repeated name the last value counts.
  const assigned = Object.fromEntries(listVars(tokens).map((text) => text.split(/:(.*)/s)));
  const store = requireValidSettings({ ...configuration, vars: { ...configuration.vars, ...assigned } });
  if (store !== SEED_STORE) await loadSeed({ config, persistTo, store });
}

/** Lists the values of `--var`, which can have several: `--var PREFER:delay=200 FAULTS:on`. */
function listVars(tokens: ReturnType<typeof parseOptions>["tokens"]): string[] {
  let option: string | undefined;
  return tokens.flatMap((token) => {
    if (token.kind !== "positional") option = token.kind === "option" ? token.name : undefined;
    const value = token.kind === "option-terminator" ? undefined : token.value;
    return option === "var" && value !== undefined ? [value] : [];
  });
}

/** Without this, wrangler serves a page that runs any SQL, and a proxy that sends `Host: localhost` would pass it on to everybody. */
const NO_EXPLORER = { X_LOCAL_EXPLORER: "false" };

function serve(): void {
  const env = { STORE_IS_PREPARED: "1", ...NO_EXPLORER };
  const server = spawnWrangler(["dev", "--var", "RATE_LIMIT:off", ...args], env);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  server.on("exit", (status) => process.exit(status ?? 1));
}

await prepareStore().then(serve, (error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
