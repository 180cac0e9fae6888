import { createHash, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { Context } from "hono";
import { unstable_splitSqlQuery } from "wrangler";

/** An error of the API. */
export class ApiError extends Error {
  code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Adds a route below the path of the account; what the function returns is the `result` of the response. */
export type AddRoute = (
  method: "get" | "post" | "put" | "patch" | "delete",
  path: string,
  handle: (c: Context) => unknown,
) => void;

/** D1 databases, which are SQLite databases in memory. */
export interface Databases {
  list(): { uuid: string; name: string }[];
  create(name: string): { uuid: string; name: string };
  query(uuid: string, query: { sql: string; params?: string[] }): { results: unknown[]; success: true }[];
  /** Stores an uploaded file until it is imported. */
  upload(content: ArrayBuffer): string;
}

/** KV namespaces. */
export interface Namespaces {
  namespaces: { id: string; title: string }[];
  /** Their content, by their ids. */
  pairs: Map<string, Map<string, string>>;
}

/** @param origin the address of the API, to which files are uploaded, too */
export function addDatabases(add: AddRoute, origin: string): Databases {
  const opened = new Map<string, { name: string; sqlite: DatabaseSync }>();
  const files = new Map<string, string>();
  const find = (uuid = "") => {
    const found = opened.get(uuid);
    if (!found) throw new Error(`no database ${uuid}`);
    return found.sqlite;
  };
  const databases: Databases = {
    list: () => [...opened].map(([uuid, { name }]) => ({ uuid, name })),
    create(name) {
      const uuid = randomUUID();
      opened.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
      return { uuid, name };
    },
    query: (uuid, { sql, params = [] }) =>
      unstable_splitSqlQuery(sql).map((statement) => {
        const before = countChanges(find(uuid));
        const results = find(uuid)
          .prepare(statement)
          .all(...params);
        return { results, success: true, meta: { duration: 1, changes: countChanges(find(uuid)) - before } };
      }),
    upload(content) {
      const hash = createHash("md5").update(new Uint8Array(content)).digest("hex");
      files.set(hash, new TextDecoder().decode(content));
      return hash;
    },
  };
  const path = "/d1/database";
  add("get", path, ({ req }) => (Number(req.query("page") ?? 1) > 1 ? [] : databases.list()));
  add("post", path, async ({ req }) => databases.create((await req.json()).name));
  add("get", `${path}/:name`, ({ req }) => {
    const found = databases.list().find(({ name, uuid }) => [name, uuid].includes(String(req.param("name"))));
    if (!found) throw new ApiError(7404, "no database");
    return found;
  });
  add("post", `${path}/:uuid/query`, async ({ req }) =>
    databases.query(String(req.param("uuid")), await req.json()),
  );
  add("post", `${path}/:uuid/import`, async ({ req }) => {
    const { action, etag } = await req.json();
    const response = { success: true, messages: [], at_bookmark: "bookmark" };
    if (action === "init") return { ...response, upload_url: `${origin}/upload`, filename: etag };
    find(req.param("uuid")).exec(`BEGIN; ${files.get(etag)}; COMMIT`);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { ...response, status: "complete", result: { num_queries: 1, final_bookmark: "bookmark", meta } };
  });
  return databases;
}

function countChanges(database: DatabaseSync): number {
  return Number(database.prepare("SELECT total_changes() AS changes").get()?.changes);
}

export function addNamespaces(add: AddRoute, api: Namespaces): void {
  const pairsOf = ({ req }: Context) => {
    const id = String(req.param("id"));
    const pairs = api.pairs.get(id) ?? new Map<string, string>();
    api.pairs.set(id, pairs);
    return pairs;
  };
  const path = "/storage/kv/namespaces";
  add("get", `${path}/:id/keys`, (c) => [...pairsOf(c).keys()].map((name) => ({ name })));
  add("put", `${path}/:id/bulk`, async (c) => {
    const pairs: { key: string; value: string }[] = await c.req.json();
    for (const { key, value } of pairs) pairsOf(c).set(key, value);
    return { successful_key_count: pairs.length, unsuccessful_keys: [] };
  });
  add("delete", `${path}/:id/bulk`, async (c) => {
    const keys: string[] = await c.req.json();
    for (const key of keys) pairsOf(c).delete(key);
    return { successful_key_count: keys.length, unsuccessful_keys: [] };
  });
  add("post", `${path}/:id/bulk/get`, async (c) => {
    const { keys } = await c.req.json();
    if (keys.length > 100) throw new ApiError(10_031, "the maximum number of keys is 100");
    return { values: Object.fromEntries(keys.map((key: string) => [key, pairsOf(c).get(key) ?? null])) };
  });
}
