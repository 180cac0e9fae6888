import { parseArgs } from "node:util";
import { loadSeed } from "../data/seed-writer.ts";
import { readConfiguration, SEED_STORE } from "../data/writer/configuration.ts";
import { spawnWrangler } from "../data/writer/wrangler.ts";
import { requireServedStore } from "./served-store.ts";

// Serves the collection on this machine, with the seed if the store is empty, and without a rate limit. The arguments are those of
// `wrangler dev`; its configuration, folder and store are used for the seed too.
const args = ["--var", "RATE_LIMIT:off", ...process.argv.slice(2)];

/** Loads the seed if the store is empty. */
async function prepare(): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      config: { type: "string", short: "c" },
      "persist-to": { type: "string" },
      var: { type: "string", multiple: true },
    },
    strict: false,
  });
  const [config, persistTo] = [values.config?.toString(), values["persist-to"]?.toString()];
  const configuration = await readConfiguration(config);
  const vars = { ...configuration.vars, ...readAssignments(values.var?.map(String)) };
  const store = requireServedStore({ ...configuration, vars });
  if (store !== SEED_STORE) await loadSeed({ config, persistTo, store });
}

/** Parses `NAME:VALUE`; of a repeated name the last value counts. */
function readAssignments(texts: string[] = []): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = "", ...value] = text.split(":");
      return [name, value.join(":")];
    }),
  );
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
