import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { afterAll } from "vitest";
import { unstable_splitSqlQuery } from "wrangler";
import { listenOnFreePort } from "../../support/free-port.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { executeStatement } from "../data/remote-configuration.ts";

/** The id of the database. The stub accepts any. */
export const DATABASE_ID = "id-of-the-database";

export type Cloudflare = Awaited<ReturnType<typeof openCloudflare>>;

/** An account with at most one worker, one database and one namespace. */
const createAccount = () => ({
  /** What was uploaded last for a worker or, as `WORKER/PREVIEW`, for a preview. */
  uploads: new Map<string, string>(),
  database: undefined as { name: string; sqlite: DatabaseSync } | undefined,
  namespace: undefined as Map<string, string> | undefined,
  /** The next request whose method and URL match gets a 503 from a proxy of the API. */
  rejected: undefined as RegExp | undefined,
  /** The versions that `/healthz` reports, one after the other, and the last one from then on. A deployment adds one. */
  versions: ["old"],
  /** The address of a version is `https://`, the first 8 characters of its id and this suffix. Without it, preview URLs are off. */
  previewSuffix: undefined as string | undefined,
  /** A header that the deployed worker does not send. */
  missingHeader: undefined as string | undefined,
  /** The paths of the deployed worker that were requested. */
  checked: new Set<string>(),
});

/** Adds a route below the path of the account. The function returns the `result` of the response. */
type AddRoute = (method: string, path: string, handle: (c: Context) => unknown) => void;

function fail(code: number, message = "refused by the stub"): never {
  throw Object.assign(new Error(message), { code });
}

/**
 * Starts a stub of the part of Cloudflare's API that wrangler uses here and, at the same address, our own service as the deployed worker.
 * The stub runs until the tests around the call have ended.
 */
export async function openCloudflare() {
  const app = new Hono();
  // Other tests in this process need the Request and the Response of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const api = Object.assign(createAccount(), await listenOnFreePort(createServer(listener)));
  const add: AddRoute = (method, path, handle) =>
    app.on(method, `/client/v4/accounts/account${path}`, async (c) =>
      c.json({ success: true, errors: [], messages: [], result: (await handle(c)) ?? null }),
    );
  app.use(async (c, next) => {
    if (!api.rejected?.test(`${c.req.method} ${c.req.url}`)) return next();
    api.rejected = undefined;
    return c.html("<h1>Service Unavailable</h1>", 503);
  });
  afterAll(api.close);
  addWorkers(add, api);
  addDatabase(app, add, api);
  addNamespace(add, api);
  await addService(app, api);
  app.onError((error, c) => {
    const { code = 7500, message } = Object(error);
    return c.json({ success: false, errors: [{ code, message }], messages: [], result: null }, 404);
  });
  return api;
}

/** Adds a worker that does not exist at first, and its previews. */
function addWorkers(add: AddRoute, api: Cloudflare): void {
  const upload = async ({ req }: Context) => {
    const { name, preview } = req.param();
    api.uploads.set([name, preview].filter(Boolean).join("/"), await req.text());
    return { id: randomUUID(), urls: [api.origin], env: {}, metadata: { has_preview: true } };
  };
  const deploy = async (context: Context) => {
    const version = await upload(context);
    api.versions.push(version.id);
    return { ...version, deployment_id: version.id.replaceAll("-", "") };
  };
  const addIfDeployed = (path: string, code: number, read: () => unknown) =>
    add("GET", path, ({ req }) => (api.uploads.has(req.param("name")!) ? read() : fail(code)));
  const service = "/workers/services/:name";
  addIfDeployed(service, 10090, () => ({ default_environment: { script: { tag: "tag" } } }));
  add("DELETE", service, ({ req }) => void api.uploads.delete(req.param("name")!));
  const script = "/workers/scripts/:name";
  const bindings = [{ type: "d1", name: "DB", id: DATABASE_ID }];
  addIfDeployed(`${script}/settings`, 10007, () => ({ bindings }));
  const listVersions = () => [{ version_id: api.versions.at(-1), percentage: 100 }];
  addIfDeployed(`${script}/deployments`, 10007, () => ({ deployments: [{ versions: listVersions() }] }));
  add("GET", `${script}/versions/:id`, () => ({ resources: { bindings } }));
  add("POST", `${script}/versions`, upload);
  for (const path of [`${script}/secrets`, "/workers/tails/by-consumer/:name", "/storage/kv/namespaces"])
    add("GET", path, () => []);
  add("GET", `${script}/references`, () => ({}));
  add("POST", `${script}/assets-upload-session`, () => ({ jwt: "jwt", buckets: [] }));
  add("PUT", script, deploy);
  const subdomain = { enabled: true, previews_enabled: true };
  add("POST", `${script}/subdomain`, () => subdomain);
  add("GET", "/workers/subdomain", () => ({ subdomain: "example" }));
  const worker = "/workers/workers/:name";
  add("GET", worker, () => ({
    previews_base_config: {},
    subdomain: { ...subdomain, preview_url_suffix: api.previewSuffix },
  }));
  add("GET", `${worker}/previews/:preview`, () => fail(10025));
  add("POST", `${worker}/previews`, async ({ req }) => {
    const { name } = await req.json();
    return { id: name, name, slug: name, urls: ["https://branch.example"] };
  });
  add("POST", `${worker}/previews/:preview/deployments`, deploy);
}

/** Adds a D1 database. Long statements are uploaded as a file and then imported. */
function addDatabase(app: Hono, add: AddRoute, api: Cloudflare): void {
  let uploaded = "";
  const list = () => (api.database ? [{ uuid: DATABASE_ID, name: api.database.name }] : []);
  const open = () => api.database?.sqlite ?? fail(7404);
  const databases = "/d1/database";
  add("GET", databases, list);
  add("POST", databases, async ({ req }) => {
    api.database = { name: (await req.json()).name, sqlite: new DatabaseSync(":memory:") };
    return list()[0];
  });
  const database = `${databases}/:key`;
  add("GET", database, () => list()[0] ?? fail(7404));
  add("DELETE", database, () => void Object.assign(api, { database: undefined }));
  add("POST", `${database}/query`, async ({ req }) => {
    const { sql, params = [] }: { sql: string; params?: string[] } = await req.json();
    return unstable_splitSqlQuery(sql).map((statement) => executeStatement(open(), statement, params));
  });
  add("POST", `${database}/import`, async ({ req }) => {
    const { action, etag } = await req.json();
    const response = { success: true, messages: [], at_bookmark: "bookmark" };
    if (action === "init") return { ...response, upload_url: `${api.origin}/upload`, filename: etag };
    open().exec(`BEGIN; ${uploaded}; COMMIT`);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { ...response, status: "complete", result: { num_queries: 1, final_bookmark: "bookmark", meta } };
  });
  app.put("/upload", async (c) => {
    uploaded = await c.req.text();
    const hash = createHash("md5").update(uploaded).digest("hex");
    return c.json({}, { headers: { ETag: `"${hash}"` } });
  });
}

function addNamespace(add: AddRoute, api: Cloudflare): void {
  const path = "/storage/kv/namespaces/:id";
  const open = () => api.namespace ?? fail(10013);
  add("DELETE", path, () => void Object.assign(api, { namespace: undefined }));
  add("GET", `${path}/keys`, ({ req }) => {
    const names = [...open().keys()].filter((name) => name.startsWith(req.query("prefix") ?? ""));
    return names.map((name) => ({ name }));
  });
  add("PUT", `${path}/bulk`, async ({ req }) => {
    const pairs: { key: string; value: string }[] = await req.json();
    for (const { key, value } of pairs) open().set(key, value);
    return { successful_key_count: pairs.length, unsuccessful_keys: [] };
  });
  add("DELETE", `${path}/bulk`, async ({ req }) => {
    for (const key of await req.json()) open().delete(key);
    return { unsuccessful_keys: [] };
  });
  add("POST", `${path}/bulk/get`, async ({ req }) => {
    const { keys }: { keys: string[] } = await req.json();
    return { values: Object.fromEntries(keys.map((key) => [key, open().get(key) ?? null])) };
  });
}

/** Serves the paths of the deployed worker that the check of a deployment requests. */
async function addService(app: Hono, api: Cloudflare): Promise<void> {
  const service = await createMemoryService(makeRecords(40));
  app.all("/:path{(docs|openapi\\.json|healthz|api/tf1/records/?)?}", async (c) => {
    const { path } = c.req;
    api.checked.add(path);
    // The platform serves static files without the worker.
    if (["/docs", "/openapi.json"].includes(path)) return c.body(null);
    if (path === "/healthz") {
      const [id] = api.versions.length > 1 ? api.versions.splice(0, 1) : api.versions;
      return c.json({ code: { id } });
    }
    const response = await service.fetch(c.req.url, c.req.raw);
    if (api.missingHeader !== undefined) response.headers.delete(api.missingHeader);
    return response;
  });
}
