import { parseArgs } from "node:util";
import { load } from "../../../../data/load.ts";

// Loads files as `npm run data -- load FILES --remote --config FILE` does. The first argument is the wrangler to run, or empty
// for the real one.
const [program, ...args] = process.argv.slice(2);
const { values, positionals } = parseArgs({
  args,
  options: { remote: { type: "boolean" }, config: { type: "string" } },
  allowPositionals: true,
});
await load(positionals, { ...values, program: program || undefined }).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
