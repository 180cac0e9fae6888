import { basename, join } from "node:path";
import { runWrangler } from "../../tools/wrangler.ts";
import { createFolder } from "./temporary-folder.ts";

/** Returns the folder of the worker, which is bundled once for all tests, in the same way as for a deployment. */
export function getBundleFolder(): string {
  const folder = process.env.BUNDLED_WORKER;
  if (folder === undefined)
    throw new Error("Only tests in files named *.process.test.ts have a bundled worker.");
  return folder;
}

/** Bundles the worker once for all tests. */
export default async function setup(): Promise<void> {
  process.env.BUNDLED_WORKER ??= await bundle();
}

/** Bundles a worker of the tests. Returns the path of the script. */
export async function bundleWorker(main: string): Promise<string> {
  return join(await bundle(main), basename(main).replace(/ts$/, "js"));
}

/** Returns the folder of the bundle. */
async function bundle(...main: string[]): Promise<string> {
  const folder = createFolder();
  await runWrangler(["deploy", ...main, "--dry-run", "--outdir", folder]);
  return folder;
}
