import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { unstable_splitSqlQuery } from "wrangler";
import { type ListeningServer, listenOnFreePort } from "../../free-port.ts";

/** A stub of the part of Cloudflare's API that the real wrangler uses for this project. */
export interface Cloudflare extends ListeningServer {
  /** The ids of the accounts that the token can use. All have the same content. */
  accounts: string[];
  /** The account of the latest request. */
  usedAccount: string | undefined;
  /** D1 databases by their ids. */
  databases: Map<string, { name: string; sqlite: DatabaseSync }>;
  /** The subdomain of workers.dev; undefined if the account has none. */
  subdomain: string | undefined;
  /** The uploads of workers and, as `WORKER/PREVIEW`, of previews, the latest last. */
  workers: Map<string, Upload[]>;
  /** Where the workers were last changed. If it is `api`, wrangler asks before it deploys. */
  lastDeployedFrom: "wrangler" | "api";
  /** The content of KV namespaces by their ids. */
  namespaces: Map<string, Map<string, string>>;
  /** Whether they still show that they are empty. */
  isLate: boolean;
  /** The keys that the next bulk write loses, although it succeeds. */
  lost: RegExp | undefined;
  /** The next request whose method and URL match is refused. */
  refused: RegExp | undefined;
  /** The code of its error. Without one, it gets 503 from something in front of the API. */
  refusal: number | undefined;
  /** Called for each request of `/healthz`, after the served version was read. Returns the status of a failure. */
  onHealth: (() => ContentfulStatusCode | undefined) | undefined;
  /** The requests that no route matches. */
  unknown: string[];
}

/** Starts the API and, at the same address, a stub of the deployed worker. */
export async function openCloudflare(): Promise<Cloudflare> {
  const app = new Hono();
  // Other tests in this process need the Request and the Response of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const api: Cloudflare = {
    ...(await listenOnFreePort(createServer(listener))),
    accounts: ["account"],
    usedAccount: undefined,
    databases: new Map(),
    namespaces: new Map(),
    workers: new Map(),
    subdomain: "example",
    lastDeployedFrom: "wrangler",
    isLate: false,
    lost: undefined,
    refused: undefined,
    refusal: undefined,
    onHealth: undefined,
    unknown: [],
  };
  const respond = (c: Context, result: unknown) =>
    c.json({ success: true, errors: [], messages: [], result });
  const add: AddRoute = (method, path, handle) =>
    app[method](`/client/v4/accounts/:account${path}`, async (c) => respond(c, (await handle(c)) ?? null));
  app.use(async (c, next) => {
    [api.usedAccount] = /(?<=\/accounts\/)\w+/.exec(c.req.path) ?? [api.usedAccount];
    if (!api.refused?.test(`${c.req.method} ${c.req.url}`)) return next();
    api.refused = undefined;
    if (api.refusal !== undefined) throw createApiError(api.refusal, "Authentication error");
    return c.html("<h1>Service Unavailable</h1>", 503);
  });
  const listAccounts = () => api.accounts.map((id) => ({ id, name: `The account ${id}` }));
  const listMemberships = () => listAccounts().map((account) => ({ account }));
  app.get("/client/v4/accounts", (c) => respond(c, listAccounts()));
  app.get("/client/v4/memberships", (c) => respond(c, listMemberships()));
  app.get("/client/v4/user/tokens/verify", (c) => respond(c, { status: "active" }));
  app.get("/client/v4/user", (c) => respond(c, { email: "owner@example.org" }));
  app.get("/healthz", (c) => {
    const code = { id: readServedVersion(api) };
    const status = api.onHealth?.();
    return status === undefined ? c.json({ code }) : c.text("error code: 1101", status);
  });
  addDatabases(app, add, api);
  addNamespaces(add, api);
  addWorkers(add, api);
  addPreviews(add, api);
  app.notFound((c) => {
    api.unknown.push(`${c.req.method} ${c.req.path}`);
    throw createApiError(7003, `no route for ${c.req.path}`);
  });
  app.onError((error, c) => {
    const { code = 7500, message } = Object(error);
    return c.json({ success: false, errors: [{ code, message }], messages: [], result: null }, 404);
  });
  return api;
}

/** D1 databases are SQLite databases in memory. Long statements are uploaded as a file and then imported. */
function addDatabases(app: Hono, add: AddRoute, { origin, databases }: Cloudflare): void {
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

function addNamespaces(add: AddRoute, api: Cloudflare): void {
  const find = ({ req }: Context) => {
    const id = String(req.param("id"));
    const pairs = api.namespaces.get(id) ?? new Map<string, string>();
    api.namespaces.set(id, pairs);
    return pairs;
  };
  const show = (c: Context) => (api.isLate ? new Map<string, string>() : find(c));
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
    const unsuccessful_keys = pairs.map(({ key }) => key).filter((key) => api.lost?.test(key));
    if (unsuccessful_keys.length > 0) api.lost = undefined;
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

type Binding = Record<"type" | "name", string>;

interface Upload {
  id: string;
  created_on: string;
  bindings: Binding[];
  tag: string | undefined;
  message: string | undefined;
}

/** An error with Cloudflare's code for it. */
const createApiError = (code: number, message: string) => Object.assign(new Error(message), { code });

/** Adds a route below the path of the account; what the function returns is the `result` of the response. */
type AddRoute = (
  method: "get" | "post" | "put" | "patch" | "delete",
  path: string,
  handle: (c: Context) => unknown,
) => void;

const ON = { enabled: true, previews_enabled: true };

/** The version that the worker of production serves. */
function readServedVersion({ workers }: Cloudflare): string | undefined {
  const [, uploads] = [...workers].find(([name]) => !name.includes("/")) ?? [];
  return uploads?.at(-1)?.id;
}

function find({ workers }: Cloudflare, name: string, code = 10007): Upload[] {
  const uploads = workers.get(name);
  if (!uploads) throw createApiError(code, `${name} does not exist`);
  return uploads;
}

async function addUpload({ workers }: Cloudflare, name: string, { req }: Context) {
  const id = randomUUID();
  const [line = "{}"] = /\{"main_module".*|\{.*"env":.*/.exec(await req.text()) ?? [];
  const { bindings = [], env = {}, annotations } = JSON.parse(line);
  const uploads = workers.get(name) ?? [];
  const before = uploads.at(-1)?.bindings ?? [];
  const inherit = (binding: Binding) => {
    if (binding.type !== "inherit") return binding;
    const inherited = before.find((other) => other.name === binding.name);
    if (!inherited) throw createApiError(10021, `no binding ${binding.name} to inherit`);
    return inherited;
  };
  const ofPreview = Object.entries<Binding>(env).map(([name, binding]) => ({ ...binding, name }));
  uploads.push({
    id,
    created_on: new Date().toISOString(),
    bindings: [...bindings.map(inherit), ...ofPreview],
    tag: annotations?.["workers/tag"],
    message: annotations?.["workers/message"],
  });
  workers.set(name, uploads);
  return { id, deployment_id: id.replaceAll("-", ""), resources: { script: { etag: "x" } } };
}

/** The subdomain, and the worker with its versions and deployments. */
function addWorkers(add: AddRoute, api: Cloudflare): void {
  const name = ({ req }: Context) => String(req.param("name"));
  const script = "/workers/scripts/:name";
  add("get", "/workers/subdomain", () => {
    if (api.subdomain === undefined) throw createApiError(10007, "no subdomain");
    return { subdomain: api.subdomain };
  });
  add("get", "/workers/subdomains/:name", () => {
    throw createApiError(10032, "This subdomain is available");
  });
  add("put", "/workers/subdomain", async ({ req }) => {
    api.subdomain = (await req.json()).subdomain;
    return { subdomain: api.subdomain };
  });
  add("get", "/workers/services/:name", (c) => {
    find(api, name(c), 10090);
    return { default_environment: { script: { last_deployed_from: api.lastDeployedFrom } } };
  });
  add("delete", "/workers/services/:name", (c) => void api.workers.delete(name(c)));
  add("get", `${script}/references`, () => ({}));
  add("get", "/workers/tails/by-consumer/:name", () => []);
  add("get", "/workers/durable_objects/namespaces", () => []);
  add("put", `${script}/routes`, () => []);
  add("get", `${script}/settings`, (c) => ({ bindings: find(api, name(c)).at(-1)?.bindings ?? [] }));
  add("patch", `${script}/script-settings`, () => ({}));
  add("post", `${script}/assets-upload-session`, () => ({ jwt: "jwt", buckets: [] }));
  add("put", script, (c) => addUpload(api, name(c), c));
  add("post", `${script}/versions`, (c) => addUpload(api, name(c), c));
  add("get", `${script}/deployments`, (c) => ({
    deployments: find(api, name(c))
      .map(({ id, created_on, message }) => {
        const versions = [{ version_id: id, percentage: 100 }];
        return { id, created_on, versions, annotations: { "workers/message": message } };
      })
      .reverse(),
  }));
  add("get", `${script}/versions/:id`, (c) => {
    const { id, bindings } = find(api, name(c)).find((upload) => upload.id === c.req.param("id")) ?? {};
    return { id, resources: { bindings } };
  });
  add("post", `${script}/deployments`, () => ({ id: randomUUID() }));
  add("post", `${script}/subdomain`, () => ON);
  add("get", `${script}/secrets`, () => []);
}

function addPreviews(add: AddRoute, api: Cloudflare): void {
  const worker = "/workers/workers/:worker";
  const previews = `${worker}/previews`;
  const key = ({ req }: Context) => `${req.param("worker")}/${req.param("name")}`;
  const describe = (name: string) => ({ id: name, name, slug: name, urls: [api.origin] });
  add("post", "/workers/workers", async ({ req }) => void api.workers.set((await req.json()).name, []));
  add("get", worker, () => ({ previews_base_config: {}, subdomain: ON }));
  for (const method of ["get", "patch"] as const)
    add(method, `${previews}/:name`, (c) => {
      find(api, String(c.req.param("worker")));
      find(api, key(c), 10025);
      return describe(String(c.req.param("name")));
    });
  add("post", previews, async ({ req }) => describe((await req.json()).name));
  add("post", `${previews}/:name/deployments`, async (c) => ({
    ...(await addUpload(api, key(c), c)),
    urls: [api.origin],
    env: {},
  }));
  add("get", `${previews}/:name/deployments/latest`, (c) => ({
    id: find(api, key(c), 10222).at(-1)?.id,
    env: {},
  }));
  add("delete", `${previews}/:name`, (c) => {
    find(api, key(c), 10025);
    api.workers.delete(key(c));
  });
}
