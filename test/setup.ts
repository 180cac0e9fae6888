import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { createFolder } from "./temporary-folder.ts";

/** Prepares the environment of the tests and of all processes that they start. */
export default function setup(): () => void {
  // All temporary files of a run are in one folder, so that no test has to remove its own.
  const folder = createFolder();
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/node");
  // Without this, each start of the worker sends a request to Cloudflare.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  return () => rmSync(folder, { recursive: true, force: true });
}
