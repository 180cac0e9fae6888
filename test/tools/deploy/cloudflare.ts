import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { unstable_splitSqlQuery } from "wrangler";
import { listenOnFreePort } from "../../support/free-port.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { makeRecords } from "../../support/sample-records.ts";

type Binding = Record<"type" | "name", string>;

export type Cloudflare = Awaited<ReturnType<typeof openCloudflare>>;

const createAccount = () => ({
  /** The versions of workers and, as `WORKER/PREVIEW`, of previews, newest last. */
  workers: new Map<string, { id: string; bindings: Binding[]; tag: string | undefined }[]>(),
  /** D1 databases by their ids. */
  databases: new Map<string, { name: string; sqlite: DatabaseSync }>(),
  /** The content of KV namespaces by their ids. */
  namespaces: new Map<string, Map<string, string>>(),
  /** The next request whose method and URL match gets a 503 from a proxy of the API. */
  rejected: undefined as RegExp | undefined,
  /** The versions that the next requests of `/healthz` get, before the newest one. */
  lateVersions: [] as string[],
  /** A header that the deployed worker does not send. */
  missingHeader: undefined as string | undefined,
  /** The paths of the deployed worker that were requested. */
  checked: new Set<string>(),
  /** The requests that no route matches. */
  unknown: [] as string[],
});

/** Adds a route below the path of the account. The function returns the `result` of the response. */
type AddRoute = (method: string, path: string, handle: (c: Context) => unknown) => void;

function fail(code: number, message = "refused by the stub"): never {
  throw Object.assign(new Error(message), { code });
}

/** Starts a stub of the part of Cloudflare's API that wrangler uses here and, at the same address, our own service as the deployed worker. */
export async function openCloudflare() {
  const app = new Hono();
  // Other tests in this process need the Request and the Response of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const api = Object.assign(createAccount(), await listenOnFreePort(createServer(listener)));
  const respond = (c: Context, result: unknown) =>
    c.json({ success: true, errors: [], messages: [], result });
  const add: AddRoute = (method, path, handle) =>
    app.on(method, `/client/v4/accounts/:account${path}`, async (c) => respond(c, (await handle(c)) ?? null));
  app.use(async (c, next) => {
    if (!api.rejected?.test(`${c.req.method} ${c.req.url}`)) return next();
    api.rejected = undefined;
    return c.html("<h1>Service Unavailable</h1>", 503);
  });
  const account = { id: "account", name: "The account" };
  app.get("/client/v4/accounts", (c) => respond(c, [account]));
  app.get("/client/v4/memberships", (c) => respond(c, [{ account }]));
  addWorkers(add, api);
  addPreviews(add, api);
  addDatabases(app, add, api);
  addNamespaces(add, api);
  await addService(app, api);
  app.notFound((c) => {
    api.unknown.push(`${c.req.method} ${c.req.path}`);
    return c.text("", 404);
  });
  app.onError((error, c) => {
    const { code = 7500, message } = Object(error);
    return c.json({ success: false, errors: [{ code, message }], messages: [], result: null }, 404);
  });
  return api;
}

/** Adds the subdomain, and the worker with its versions and deployments. */
function addWorkers(add: AddRoute, api: Cloudflare): void {
  const find = ({ req }: Context, code: number) => api.workers.get(String(req.param("name"))) ?? fail(code);
  add("GET", "/workers/subdomain", () => ({ subdomain: "example" }));
  const service = "/workers/services/:name";
  const fromWrangler = { default_environment: { script: { last_deployed_from: "wrangler" } } };
  add("GET", service, (c) => find(c, 10090) && fromWrangler);
  add("DELETE", service, ({ req }) => void api.workers.delete(String(req.param("name"))));
  const script = "/workers/scripts/:name";
  add("GET", `${script}/references`, () => ({}));
  add("GET", `${script}/settings`, (c) => find(c, 10007).at(-1));
  for (const path of [`${script}/secrets`, "/workers/tails/by-consumer/:name", "/storage/kv/namespaces"])
    add("GET", path, () => []);
  add("POST", `${script}/assets-upload-session`, () => ({ jwt: "jwt", buckets: [] }));
  add("PUT", script, (c) => addVersion(api, String(c.req.param("name")), c));
  add("POST", `${script}/subdomain`, () => ({ enabled: true, previews_enabled: true }));
  add("GET", `${script}/deployments`, (c) => ({ deployments: find(c, 10007) }));
}

async function addVersion({ workers, origin }: Cloudflare, name: string, { req }: Context) {
  const id = randomUUID();
  const [line = "{}"] = /\{"main_module".*|\{.*"env":.*/.exec(await req.text()) ?? [];
  const { bindings = [], env = {}, annotations } = JSON.parse(line);
  bindings.push(...Object.entries<Binding>(env).map(([name, binding]) => ({ ...binding, name })));
  workers.set(name, [...(workers.get(name) ?? []), { id, bindings, tag: annotations?.["workers/tag"] }]);
  return { id, deployment_id: id.replaceAll("-", ""), urls: [origin], env: {} };
}

function addPreviews(add: AddRoute, api: Cloudflare): void {
  const worker = "/workers/workers/:worker";
  const previews = `${worker}/previews`;
  const key = ({ req }: Context) => `${req.param("worker")}/${req.param("name")}`;
  add("GET", worker, () => ({
    previews_base_config: {},
    subdomain: { enabled: true, previews_enabled: true },
  }));
  add("GET", `${previews}/:name`, () => fail(10025));
  add("POST", previews, async ({ req }) => {
    const { name } = await req.json();
    return { id: name, name, slug: name, urls: [api.origin] };
  });
  add("POST", `${previews}/:name/deployments`, (c) => addVersion(api, key(c), c));
}

/** Adds D1 databases. Long statements are uploaded as a file and then imported. */
function addDatabases(app: Hono, add: AddRoute, { origin, databases }: Cloudflare): void {
  const files = new Map<string, string>();
  const list = () => [...databases].map(([uuid, { name }]) => ({ uuid, name }));
  const find = ({ req }: Context) =>
    list().find(({ name, uuid }) => [name, uuid].includes(String(req.param("key")))) ?? fail(7404);
  const open = (c: Context) => databases.get(find(c).uuid)!.sqlite;
  const path = "/d1/database";
  add("GET", path, ({ req }) => (Number(req.query("page") ?? 1) > 1 ? [] : list()));
  add("POST", path, async ({ req }) => {
    const [uuid, { name }] = [randomUUID(), await req.json()];
    databases.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
    return { uuid, name };
  });
  add("GET", `${path}/:key`, find);
  add("DELETE", `${path}/:key`, (c) => void databases.delete(find(c).uuid));
  add("POST", `${path}/:key/query`, async (c) => {
    const { sql, params = [] }: { sql: string; params?: string[] } = await c.req.json();
    return unstable_splitSqlQuery(sql).map((statement) => execute(open(c), statement, params));
  });
  add("POST", `${path}/:key/import`, async (c) => {
    const { action, etag } = await c.req.json();
    const response = { success: true, messages: [], at_bookmark: "bookmark" };
    if (action === "init") return { ...response, upload_url: `${origin}/upload`, filename: etag };
    open(c).exec(`BEGIN; ${files.get(etag)}; COMMIT`);
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

function addNamespaces(add: AddRoute, api: Cloudflare): void {
  const path = "/storage/kv/namespaces/:id";
  const find = ({ req }: Context) => api.namespaces.get(String(req.param("id"))) ?? fail(10013);
  add("DELETE", path, ({ req }) => void api.namespaces.delete(String(req.param("id"))));
  add("GET", `${path}/keys`, (c) => {
    const names = [...find(c).keys()].filter((name) => name.startsWith(c.req.query("prefix") ?? ""));
    return names.map((name) => ({ name }));
  });
  add("PUT", `${path}/bulk`, async (c) => {
    const pairs: { key: string; value: string }[] = await c.req.json();
    for (const { key, value } of pairs) find(c).set(key, value);
    return { successful_key_count: pairs.length, unsuccessful_keys: [] };
  });
  add("DELETE", `${path}/bulk`, async (c) => {
    for (const key of await c.req.json()) find(c).delete(key);
    return { unsuccessful_keys: [] };
  });
  add("POST", `${path}/bulk/get`, async (c) => {
    const { keys }: { keys: string[] } = await c.req.json();
    return { values: Object.fromEntries(keys.map((key) => [key, find(c).get(key) ?? null])) };
  });
}

/** Serves the paths of the deployed worker that the check of a deployment requests. */
async function addService(app: Hono, api: Cloudflare): Promise<void> {
  const service = await createMemoryService(makeRecords(40));
  app.all("/:path{(docs|openapi\\.json|healthz|api/tf1/records/?)?}", async (c) => {
    api.checked.add(c.req.path);
    // The platform serves static files without the worker.
    if (["/docs", "/openapi.json"].includes(c.req.path)) return c.body(null);
    if (c.req.path === "/healthz") {
      const [versions = []] = api.workers.values();
      return c.json({ code: { id: api.lateVersions.shift() ?? versions.at(-1)?.id ?? "of a preview" } });
    }
    const response = await service.fetch(c.req.url, c.req.raw);
    if (api.missingHeader !== undefined) response.headers.delete(api.missingHeader);
    return response;
  });
}
