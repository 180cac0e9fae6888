import { parseArgs } from "node:util";
import { loadSeed } from "../data/seed-writer.ts";
import { readConfiguration, SEED_STORE } from "../data/writer/configuration.ts";
import { spawnWrangler } from "../data/writer/wrangler.ts";
import { requireServedStore } from "./served-store.ts";

// Serves the collection on this machine, with the seed if the store is empty, and without a rate limit. The arguments are those of
// `wrangler dev`; its configuration, folder and store are used for the seed too.

const HELP = `Usage: npm start -- [options of wrangler dev]

Serves the collection on this machine, at first with the seed. These options are the ones that matter here:
  --port 9000                  port, instead of 8787
  --var PREFER:delay=200       a setting for this run: PREFER, FAULTS, STORE, PUBLIC_ORIGIN or RATE_LIMIT
  --persist-to DIR             folder of the local store, as for npm run data
  --config FILE                configuration, instead of wrangler.toml

All options of wrangler dev:`;

const args = ["--var", "RATE_LIMIT:off", ...process.argv.slice(2)];

/** Loads the seed if the store is empty, unless only help is wanted. */
async function prepare(): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      config: { type: "string", short: "c" },
      "persist-to": { type: "string" },
      var: { type: "string", multiple: true },
      help: { type: "boolean", short: "h" },
    },
    strict: false,
  });
  if (values.help) return console.log(HELP);
  const [config, persistTo] = [values.config?.toString(), values["persist-to"]?.toString()];
  const configuration = await readConfiguration(config);
  // `NAME:VALUE`; of a repeated name the last value counts.
  const assigned = Object.fromEntries((values.var ?? []).map((text) => String(text).split(/:(.*)/s)));
  const store = requireServedStore({ ...configuration, vars: { ...configuration.vars, ...assigned } });
  if (store !== SEED_STORE) await loadSeed({ config, persistTo, store });
}

function serve(): void {
  const server = spawnWrangler(["dev", ...args], { STORE_IS_PREPARED: "1" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  server.on("exit", (status) => process.exit(status ?? 1));
}

await prepare().then(serve, (error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
