import { basename, join } from "node:path";
import { runWrangler } from "../data/writer/wrangler.ts";
import { createFolder } from "./temporary-folder.ts";

/** The folder with the worker, bundled as for a deployment. The tests start it from there, without bundling it again. */
export function findBundle(): string {
  const folder = process.env.BUNDLED_WORKER;
  if (folder === undefined) throw new Error("Only tests in files named *.process.test.ts get the worker.");
  return folder;
}

/** Bundles the worker once for all tests. */
export default async function setup(): Promise<void> {
  process.env.BUNDLED_WORKER ??= await bundle();
}

/** Bundles a worker of the tests as a deployment bundles the worker. Gives the path. */
export async function bundleWorker(main: string): Promise<string> {
  return join(await bundle(main), basename(main).replace(/ts$/, "js"));
}

/** Gives the folder that wrangler writes. */
async function bundle(...main: string[]): Promise<string> {
  const folder = createFolder();
  await runWrangler(["deploy", ...main, "--dry-run", "--outdir", folder]);
  return folder;
}
