import { setTimeout } from "node:timers/promises";
import { type Deployment, deploymentOptions, runWrangler } from "../../../tools/wrangler/wrangler.ts";

/** The database's binding in wrangler.toml. */
export const DATABASE = "DB";

/** What D1 says of one statement. */
export interface Result {
  results: Record<string, string | number | null>[];
  /** What it cost; on this machine wrangler leaves most of it out. */
  meta: { size_after?: number };
}

/** Attempts while a server that reads the same local database has it locked for a moment. */
const ATTEMPTS = 5;

/**
 * Runs one of wrangler's commands for D1. Each is one transaction, so one that meets a lock has done nothing and is
 * run again.
 */
export async function runD1(command: string[], deployment: Deployment): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runWrangler(["d1", ...command, ...deploymentOptions(deployment)], deployment);
    } catch (error) {
      if (attempt === ATTEMPTS || !/SQLITE_BUSY|database is locked/.test(String(error))) throw error;
      await setTimeout(attempt * 100);
    }
  }
}

/**
 * Runs statements that read: one run for all of them, since each run of wrangler takes a second.
 * @returns a result for each
 */
export async function queryD1(statements: string[], deployment: Deployment): Promise<Result[]> {
  const command = ["execute", DATABASE, "--json", "--command", statements.join("; ")];
  return JSON.parse(await runD1(command, deployment));
}

/** The same, and undefined if a table is missing: a database has them from the first load that needs them. */
export async function queryTables(
  statements: string[],
  deployment: Deployment,
): Promise<Result[] | undefined> {
  try {
    return await queryD1(statements, deployment);
  } catch (error) {
    if (String(error).includes("no such table")) return undefined;
    throw error;
  }
}
