import type { Miniflare } from "miniflare";
import { isTransient, type SqlDatabase } from "../../src/store/d1.ts";
import { retry, SHORT_PAUSES } from "../../src/store/retry.ts";

/** A database in a local runtime. */
export interface LocalDatabase extends SqlDatabase {
  /** The size in bytes. */
  size(): Promise<number>;
}

/** What the worker of `D1_SCRIPT` reports: the result of the last statement, or why none was executed. */
type Outcome =
  | { rows: Awaited<ReturnType<SqlDatabase["query"]>>; changes: number; size: number }
  | { error: string };

/** A worker that runs the statements of a request as one transaction. */
export const D1_SCRIPT = `export default {
  async fetch(request, { DB }) {
    try {
      const { statements, parameters } = await request.json();
      const prepared = statements.map((sql) => DB.prepare(sql).bind(...parameters));
      const { results, meta } = (await DB.batch(prepared)).at(-1);
      return Response.json({ rows: results, changes: meta.changes, size: meta.size_after });
    } catch (error) {
      return Response.json({ error: String(error.message) });
    }
  }
}`;

/**
 * The database of a runtime whose worker is `D1_SCRIPT`. A call is one request to it; through the runtime's own proxy of a
 * binding, each prepared statement would be one, and a million records would take 130 MB more.
 */
export function openD1(runtime: Miniflare): LocalDatabase {
  const run = async (statements: string[], parameters: (string | number | null)[] = []) => {
    const body = JSON.stringify({ statements, parameters });
    const response = await runtime.dispatchFetch("http://localhost", { method: "POST", body });
    const outcome = (await response.json()) as Outcome;
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome;
  };
  const policy = { isTransient, ...SHORT_PAUSES };
  return {
    query: async (sql, parameters) => (await retry(() => run([sql], parameters), policy)).rows,
    write: async (statements) => (await retry(() => run(statements), policy)).changes,
    batchBytes: 250_000,
    size: async () => (await run(["SELECT 1"])).size,
  };
}
