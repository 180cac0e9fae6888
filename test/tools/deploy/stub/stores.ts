import { createHash, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { unstable_splitSqlQuery } from "wrangler";

/** An error of the API. */
export class ApiError extends Error {
  code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Matches method and path, and returns the `result` of the response. The function gets the parts that are in parentheses. */
export type Route = [RegExp, (body: string, ...parts: string[]) => unknown];

/** The D1 databases and KV namespaces of the stub. */
export interface Stores {
  /** Databases are SQLite databases in memory. */
  databases: {
    list(): { uuid: string; name: string }[];
    create(name: string): { uuid: string; name: string };
    query(uuid: string, query: { sql: string; params?: string[] }): { results: unknown[]; success: true }[];
    /** Stores an uploaded file until it is imported. */
    upload(text: string): void;
  };
  namespaces: { id: string; title: string }[];
  /** The content of the namespaces, by their ids. */
  pairs: Map<string, Map<string, string>>;
  /** How many databases the plan of the account allows. */
  databaseLimit: number;
}

/** @param origin the address of the API, to which files are uploaded, too */
export function createStores(origin: string): { stores: Stores; routes: Route[] } {
  const sqlite = new Map<string, { name: string; sqlite: DatabaseSync }>();
  const files = new Map<string, string>();
  const find = (uuid: string) => {
    const found = sqlite.get(uuid);
    if (!found) throw new Error(`no database ${uuid}`);
    return found.sqlite;
  };
  const stores: Stores = {
    databases: {
      list: () => [...sqlite].map(([uuid, { name }]) => ({ uuid, name })),
      create(name) {
        const uuid = randomUUID();
        sqlite.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
        return { uuid, name };
      },
      query: (uuid, { sql, params = [] }) =>
        unstable_splitSqlQuery(sql).map((statement) => {
          const database = find(uuid);
          const before = countChanges(database);
          const results = database.prepare(statement).all(...params);
          return { results, success: true, meta: { duration: 1, changes: countChanges(database) - before } };
        }),
      upload: (text) => void files.set(createHash("md5").update(text, "latin1").digest("hex"), text),
    },
    namespaces: [],
    pairs: new Map(),
    databaseLimit: 10,
  };
  const importFile = (uuid: string, { action, etag }: { action: string; etag: string }) => {
    const response = { success: true, messages: [], at_bookmark: "bookmark" };
    if (action === "init") return { ...response, upload_url: `${origin}/upload`, filename: etag };
    find(uuid).exec(`BEGIN; ${files.get(etag)}; COMMIT`);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { ...response, status: "complete", result: { num_queries: 1, final_bookmark: "bookmark", meta } };
  };
  return {
    stores,
    routes: [
      ...createNamespaceRoutes(stores),
      [/^GET \/d1\/database\?.*page=1$/, () => stores.databases.list()],
      [/^GET \/d1\/database\?/, () => []],
      [
        /^POST \/d1\/database$/,
        (body) => {
          if (sqlite.size >= stores.databaseLimit) throw new ApiError(7406, "too many databases");
          return stores.databases.create(JSON.parse(body).name);
        },
      ],
      [
        /^GET \/d1\/database\/([^/?]+)\?/,
        (_, name) => {
          const found = stores.databases.list().find((database) => database.name === name);
          if (!found) throw new ApiError(7404, "no database");
          return found;
        },
      ],
      [/^DELETE \/d1\/database\/([^/]+)$/, (_, uuid = "") => void sqlite.delete(uuid)],
      [
        /^POST \/d1\/database\/([^/]+)\/query$/,
        (body, uuid = "") => stores.databases.query(uuid, JSON.parse(body)),
      ],
      [/^POST \/d1\/database\/([^/]+)\/import$/, (body, uuid = "") => importFile(uuid, JSON.parse(body))],
    ],
  };
}

function createNamespaceRoutes(stores: Stores): Route[] {
  const path = "\\/storage\\/kv\\/namespaces";
  const find = (id = "") => stores.pairs.get(id) ?? new Map<string, string>();
  const put = (id: string, pairs: { key: string; value: string }[]) => {
    stores.pairs.set(id, new Map([...find(id), ...pairs.map(({ key, value }) => [key, value] as const)]));
    return { successful_key_count: pairs.length, unsuccessful_keys: [] };
  };
  return [
    [RegExp(`^GET ${path}\\?.*&page=[2-9]`), () => []],
    [RegExp(`^GET ${path}\\?`), () => stores.namespaces],
    [
      RegExp(`^POST ${path}$`),
      (body) => {
        const namespace = { id: randomUUID().replaceAll("-", ""), title: JSON.parse(body).title };
        stores.namespaces.push(namespace);
        return namespace;
      },
    ],
    [
      RegExp(`^DELETE ${path}\\/([^/]+)$`),
      (_, id) => {
        stores.namespaces = stores.namespaces.filter((namespace) => namespace.id !== id);
      },
    ],
    [
      RegExp(`^POST ${path}\\/([^/]+)\\/bulk\\/get$`),
      (body, id) => ({
        values: Object.fromEntries(
          JSON.parse(body).keys.map((key: string) => [key, find(id).get(key) ?? null]),
        ),
      }),
    ],
    [RegExp(`^PUT ${path}\\/([^/]+)\\/bulk$`), (body, id = "") => put(id, JSON.parse(body))],
    [
      RegExp(`^PUT ${path}\\/([^/]+)\\/values\\/([^/?]+)`),
      (value, id = "", key = "") => put(id, [{ key: decodeURIComponent(key), value }]),
    ],
    [RegExp(`^GET ${path}\\/([^/]+)\\/keys`), (_, id) => [...find(id).keys()].map((name) => ({ name }))],
  ];
}

function countChanges(database: DatabaseSync): number {
  return Number(database.prepare("SELECT total_changes() AS changes").get()?.changes);
}
