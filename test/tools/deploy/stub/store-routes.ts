import { randomUUID } from "node:crypto";
import type { Api } from "./route.ts";
import { type Route, throwApiError } from "./route.ts";

/** Databases and namespaces. */
export const STORE_ROUTES: Route[] = [
  [/^GET \/d1\/database\?.*page=1$/, ({ api }) => api.databases.list()],
  [/^POST \/d1\/database$/, ({ api, body }) => api.databases.create(JSON.parse(body).name)],
  [
    /^GET \/d1\/database\/([^/?]+)\?/,
    ({ api }, name) =>
      api.databases.list().find((one) => one.name === name) ?? throwApiError(404, 7404, "no database"),
  ],
  [/^DELETE \/d1\/database\/([^/]+)$/, ({ api }, uuid) => api.databases.remove(uuid)],
  [
    /^POST \/d1\/database\/([^/]+)\/query$/,
    ({ api, body }, uuid) => api.databases.query(uuid, JSON.parse(body)),
  ],
  [
    /^POST \/d1\/database\/([^/]+)\/import$/,
    ({ api, body }, uuid) => importFile(api, uuid, JSON.parse(body)),
  ],
  [/^GET \/storage\/kv\/namespaces\?.*page=[2-9]/, () => []],
  [/^GET \/storage\/kv\/namespaces\?/, ({ api }) => api.namespaces],
  [/^POST \/storage\/kv\/namespaces$/, ({ api, body }) => addNamespace(api, JSON.parse(body).title)],
  [
    /^DELETE \/storage\/kv\/namespaces\/([^/]+)$/,
    ({ api }, id) => {
      api.namespaces = api.namespaces.filter((namespace) => namespace.id !== id);
    },
  ],
  [
    /^POST \/storage\/kv\/namespaces\/([^/]+)\/bulk\/get$/,
    ({ api, body }, id) => getPairs(api, id, JSON.parse(body).keys),
  ],
  [
    /^PUT \/storage\/kv\/namespaces\/([^/]+)\/bulk$/,
    ({ api, body }, id) => putPairs(api, id, JSON.parse(body)),
  ],
  [
    /^PUT \/storage\/kv\/namespaces\/([^/]+)\/values\/([^/?]+)/,
    ({ api, body }, id, key) => putPairs(api, id, [{ key: decodeURIComponent(key ?? ""), value: body }]),
  ],
  [
    /^GET \/storage\/kv\/namespaces\/([^/]+)\/keys/,
    ({ api }, id) => [...findPairs(api, id).keys()].map((name) => ({ name })),
  ],
];

/** Responds to the three requests of an import. The file is uploaded to this server, too. */
function importFile(api: Api, uuid: string, { action, etag }: { action: string; etag: string }) {
  const response = { success: true, messages: [], at_bookmark: "bookmark" };
  if (action === "init") return { ...response, upload_url: `${api.origin}/upload`, filename: etag };
  api.databases.importFile(uuid, etag);
  const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
  return { ...response, status: "complete", result: { num_queries: 1, final_bookmark: "bookmark", meta } };
}

function addNamespace(api: Api, title: string) {
  const id = randomUUID().replaceAll("-", "");
  api.namespaces.push({ id, title });
  api.pairs.set(id, new Map());
  return { id, title };
}

function findPairs(api: Api, id = ""): Map<string, string> {
  return api.pairs.get(id) ?? throwApiError(404, 10013, "namespace not found");
}

function getPairs(api: Api, id: string | undefined, keys: string[]) {
  const pairs = findPairs(api, id);
  return { values: Object.fromEntries(keys.map((key) => [key, pairs.get(key) ?? null])) };
}

function putPairs(api: Api, id: string | undefined, pairs: { key: string; value: string }[]) {
  for (const { key, value } of pairs) findPairs(api, id).set(key, value);
  return { successful_key_count: pairs.length, unsuccessful_keys: [] };
}
