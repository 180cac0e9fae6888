import type { Loaded } from "../target.ts";
import type { Deployment } from "../wrangler.ts";
import { queryD1, type Result } from "./database.ts";

const STATE = "SELECT version, count, loaded_at FROM state WHERE version > 0";
const STATISTICS = "SELECT text FROM statistics JOIN state USING (version, count) ORDER BY part";

/**
 * What the database holds, and undefined if that is nothing. It reads only: tables that are missing stay so.
 * @throws if wrangler fails, with its message
 */
export async function readLoaded(deployment: Deployment): Promise<Loaded | undefined> {
  const read = await readTables([STATE, STATISTICS], deployment);
  const [state, statistics] = read ?? (await readTables([STATE], deployment)) ?? [];
  const row = state?.results[0];
  if (!row) return undefined;
  const text = statistics?.results.map((part) => part.text).join("");
  return {
    state: { version: Number(row.version), count: Number(row.count) },
    loadedAt: row.loaded_at === null ? undefined : String(row.loaded_at),
    statistics: text ? JSON.parse(text) : undefined,
    bytes: state.meta.size_after,
  };
}

/** Undefined if a table is missing: a database has them from the first load that needs them. */
async function readTables(statements: string[], deployment: Deployment): Promise<Result[] | undefined> {
  try {
    return await queryD1(statements, deployment);
  } catch (error) {
    if (String(error).includes("no such table")) return undefined;
    throw error;
  }
}
