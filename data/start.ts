import { parseArgs } from "node:util";
import { loadSeed } from "./load-seed.ts";
import { configuredStore, requireStore, targets } from "./targets/targets.ts";
import { spawnWrangler } from "./targets/wrangler.ts";

// Serves what is loaded on this machine, or the seed if nothing is. The arguments are those of `wrangler dev`;
// where the collection is kept, and in which store, counts for the load too.
const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  options: { "persist-to": { type: "string" }, var: { type: "string", multiple: true } },
  strict: false,
});
const local = { persistTo: values["persist-to"]?.toString() };
const variable = values.var?.map(String).findLast((text) => text.startsWith("STORE:"));
const store = variable ? requireStore(variable.slice("STORE:".length)) : await configuredStore();

if ((await targets[store].prepare(local)) === 0) {
  console.log("Nothing is loaded yet, so the seed is.");
  await loadSeed({ ...local, store });
}

const server = spawnWrangler(["dev", ...args]);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => server.kill(signal));
server.on("exit", (status) => process.exit(status ?? 1));
