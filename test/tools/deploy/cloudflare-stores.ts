import { createHash, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { Context, Hono } from "hono";
import { unstable_splitSqlQuery } from "wrangler";
import { type AddRoute, type Cloudflare, createApiError } from "./cloudflare-api.ts";

/** D1 databases are SQLite databases in memory. Long statements are uploaded as a file and then imported. */
export function addDatabases(app: Hono, add: AddRoute, { origin, databases }: Cloudflare): void {
  const files = new Map<string, string>();
  const path = "/d1/database";
  const list = () => [...databases].map(([uuid, { name }]) => ({ uuid, name }));
  const find = ({ req }: Context) => {
    const found = databases.get(String(req.param("uuid")));
    if (!found) throw createApiError(7404, `The database ${req.param("uuid")} could not be found`);
    return found.sqlite;
  };
  add("get", path, ({ req }) => (Number(req.query("page") ?? 1) > 1 ? [] : list()));
  add("post", path, async ({ req }) => {
    const [uuid, { name }] = [randomUUID(), await req.json()];
    if (list().some((existing) => existing.name === name))
      throw createApiError(7502, "A database with that name already exists");
    databases.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
    return { uuid, name };
  });
  add("get", `${path}/:key`, ({ req }) => {
    const found = list().find(({ name, uuid }) => [name, uuid].includes(String(req.param("key"))));
    if (!found) throw createApiError(7404, `The database ${req.param("key")} could not be found`);
    return found;
  });
  add("delete", `${path}/:uuid`, ({ req }) => void databases.delete(String(req.param("uuid"))));
  add("post", `${path}/:uuid/query`, async (c) => {
    const { sql, params = [] }: { sql: string; params?: string[] } = await c.req.json();
    return unstable_splitSqlQuery(sql).map((statement) => execute(find(c), statement, params));
  });
  add("post", `${path}/:uuid/import`, async (c) => {
    const { action, etag } = await c.req.json();
    const response = { success: true, messages: [], at_bookmark: "bookmark" };
    if (action === "init") return { ...response, upload_url: `${origin}/upload`, filename: etag };
    find(c).exec(`BEGIN; ${files.get(etag)}; COMMIT`);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { ...response, status: "complete", result: { num_queries: 1, final_bookmark: "bookmark", meta } };
  });
  app.put("/upload", async (c) => {
    const content = await c.req.text();
    const hash = createHash("md5").update(content).digest("hex");
    files.set(hash, content);
    return c.json({}, { headers: { ETag: `"${hash}"` } });
  });
}

function execute(sqlite: DatabaseSync, statement: string, params: string[]) {
  const countChanges = () => Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);
  const before = countChanges();
  const results = sqlite.prepare(statement).all(...params);
  return { results, success: true, meta: { duration: 1, changes: countChanges() - before } };
}

export function addNamespaces(add: AddRoute, api: Cloudflare): void {
  const find = ({ req }: Context) => {
    const id = String(req.param("id"));
    const pairs = api.namespaces.get(id) ?? new Map<string, string>();
    api.namespaces.set(id, pairs);
    return pairs;
  };
  const show = (c: Context) => (api.isLagging ? new Map<string, string>() : find(c));
  const path = "/storage/kv/namespaces/:id";
  add("get", "/storage/kv/namespaces", () => []);
  add("delete", path, ({ req }) => void api.namespaces.delete(String(req.param("id"))));
  add("get", `${path}/keys`, (c) =>
    Array.from(show(c).keys(), (name) => ({ name })).filter(({ name }) =>
      name.startsWith(c.req.query("prefix") ?? ""),
    ),
  );
  add("put", `${path}/bulk`, async (c) => {
    const pairs: { key: string; value: string }[] = await c.req.json();
    const unsuccessful_keys = pairs.map(({ key }) => key).filter((key) => api.lostKeys?.test(key));
    if (unsuccessful_keys.length > 0) api.lostKeys = undefined;
    for (const { key, value } of pairs) if (!unsuccessful_keys.includes(key)) find(c).set(key, value);
    return { successful_key_count: pairs.length - unsuccessful_keys.length, unsuccessful_keys };
  });
  add("delete", `${path}/bulk`, async (c) => {
    const keys: string[] = await c.req.json();
    for (const key of keys) find(c).delete(key);
    return { successful_key_count: keys.length, unsuccessful_keys: [] };
  });
  add("post", `${path}/bulk/get`, async (c) => {
    const { keys }: { keys: string[] } = await c.req.json();
    if (keys.length > 100) throw createApiError(10_031, "the maximum number of keys is 100");
    return { values: Object.fromEntries(keys.map((key) => [key, show(c).get(key) ?? null])) };
  });
}
