import { spawnSync } from "node:child_process";
import { recordCall } from "./account.ts";

/** The script that loads files as `npm run data` does, but with another wrangler. */
const LOAD = "test/tools/deploy/stub/load.ts";

/**
 * A stub of npm: every script succeeds without doing anything, unless `failures` names it. Only `npm run data -- load` loads
 * the files.
 * @param wrangler the wrangler that the load runs; undefined for the real one
 */
export function run(folder: string, args: string[], wrangler: string | undefined): void {
  const { BASE_URL } = process.env;
  recordCall(folder, "npm", args[1] === "test:live" ? [...args, `BASE_URL=${BASE_URL}`] : args);
  if (args[1] !== "data") return;
  const { status } = spawnSync(process.execPath, [LOAD, wrangler ?? "", ...args.slice(4)], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
