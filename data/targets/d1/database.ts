import { type Deployment, deploymentOptions, runWrangler } from "../wrangler.ts";

/** The database's binding in wrangler.toml. */
export const DATABASE = "DB";

/** What D1 says of one statement. */
export interface Result {
  results: Record<string, string | number | null>[];
  /** What it cost; on this machine wrangler leaves most of it out. */
  meta: { size_after?: number };
}

/** Runs one of wrangler's commands for D1. */
export function runD1(command: string[], deployment: Deployment): Promise<string> {
  return runWrangler(["d1", ...command, ...deploymentOptions(deployment)]);
}

/**
 * Runs statements that read: one run for all of them, since each run of wrangler takes a second.
 * @returns a result for each
 */
export async function queryD1(statements: string[], deployment: Deployment): Promise<Result[]> {
  const command = ["execute", DATABASE, "--json", "--command", statements.join("; ")];
  return JSON.parse(await runD1(command, deployment));
}
