import { openProgress } from "../tools/command-line/progress.ts";
import type { Deployment } from "../tools/wrangler/wrangler.ts";
import type { Loaded, Target } from "./targets/target.ts";

/** Reads what is loaded as `Target.read` does, and shows that it takes a second or two. */
export function askStore(target: Target, deployment: Deployment): Promise<Loaded | undefined> {
  const progress = openProgress("asking the store");
  return target.read(deployment).finally(progress.close);
}
