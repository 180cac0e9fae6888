import type { Miniflare } from "miniflare";
import { isTransient, type SqlDatabase } from "../../src/store/d1.ts";
import type { KeyValueStore } from "../../src/store/kv.ts";
import { retry, SHORT_PAUSES } from "../../src/store/retry.ts";

/** A database in a local runtime. */
export interface LocalDatabase extends SqlDatabase {
  /** The size in bytes. */
  size(): Promise<number>;
}

type Row = Awaited<ReturnType<SqlDatabase["query"]>>[number];

/** The result of the last statement, or the values or names of keys. */
interface Result {
  rows: Row[];
  changes: number;
  size: number;
  values: (string | null)[];
}

/**
 * A worker that does to its stores what a request says. A call is one request; through the runtime's own proxy of a binding, each
 * statement and each key would be one.
 */
export const STORES_SCRIPT = `const actions = {
  async run({ DB }, { statements, parameters }) {
    const prepared = statements.map((sql) => DB.prepare(sql).bind(...parameters));
    const { results, meta } = (await DB.batch(prepared)).at(-1);
    return { rows: results, changes: meta.changes, size: meta.size_after };
  },
  get: async ({ KV }, { keys }) => ({ values: await Promise.all(keys.map((key) => KV.get(key))) }),
  put: ({ KV }, { pairs }) => Promise.all(pairs.map(({ key, value }) => KV.put(key, value))),
  delete: ({ KV }, { keys }) => Promise.all(keys.map((key) => KV.delete(key))),
  async list({ KV }, { cursor }) {
    const page = await KV.list({ cursor });
    return { values: page.keys.map(({ name }) => name), cursor: page.cursor };
  }
};
export default {
  async fetch(request, env) {
    try {
      const { action, ...values } = await request.json();
      return Response.json(await actions[action](env, values) ?? {});
    } catch (error) {
      return Response.json({ error: String(error.message) });
    }
  }
}`;

const POLICY = { isTransient, ...SHORT_PAUSES };

/** Calls the worker of a runtime, which is `STORES_SCRIPT`. */
function call<T extends Partial<Result> & { cursor?: string }>(
  runtime: Miniflare,
  action: object,
): Promise<T> {
  return retry(async () => {
    const body = JSON.stringify(action);
    const response = await runtime.dispatchFetch("http://localhost", { method: "POST", body });
    const outcome = (await response.json()) as T | { error: string };
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome;
  }, POLICY);
}

/** The database of a runtime whose worker is `STORES_SCRIPT`. */
export function openD1(runtime: Miniflare): LocalDatabase {
  const run = (statements: string[], parameters: (string | number | null)[] = []) =>
    call<Result>(runtime, { action: "run", statements, parameters });
  return {
    query: async (sql, parameters) => (await run([sql], parameters)).rows,
    write: async (statements) => (await run(statements)).changes,
    batchBytes: 250_000,
    size: async () => (await run(["SELECT 1"])).size,
  };
}

/** The namespace of a runtime whose worker is `STORES_SCRIPT`. */
export function openKv(runtime: Miniflare): KeyValueStore {
  return {
    get: async (keys) => (await call<Result>(runtime, { action: "get", keys })).values,
    put: async (pairs) => void (await call(runtime, { action: "put", pairs })),
    replace: async (pair) => void (await call(runtime, { action: "put", pairs: [pair] })),
    delete: async (keys) => void (await call(runtime, { action: "delete", keys })),
    async list() {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await call<{ values: string[]; cursor?: string }>(runtime, { action: "list", cursor });
        names.push(...page.values);
        cursor = page.cursor;
      } while (cursor);
      return names;
    },
    batchBytes: 100_000,
  };
}
