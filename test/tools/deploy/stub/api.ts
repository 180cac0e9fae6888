import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { type Listening, listen } from "../../../listen.ts";
import {
  type AddRoute,
  ApiError,
  addDatabases,
  addNamespaces,
  type Databases,
  type Namespaces,
} from "./stores.ts";

/** A stub of the part of Cloudflare's API that the real wrangler uses for this project. */
export interface Api extends Namespaces, Listening {
  databases: Databases;
  /** The subdomain of workers.dev; undefined if the account has none. */
  subdomain: string | undefined;
  /** The deployed workers and, as `WORKER/PREVIEW`, previews, with the metadata of their latest uploads. */
  workers: Map<string, Upload>;
  /** The next request whose method and URL match gets 503 from something in front of the API. */
  refused: RegExp | undefined;
  /** The requests that no route matches. */
  unknown: string[];
}

interface Upload {
  id: string;
  metadata: string;
  bindings: { type: string; name: string; id?: string; namespace_id?: string }[];
}

/** Starts the API and, at the same address, a stub of the deployed worker. */
export async function openApi(): Promise<Api> {
  const app = new Hono();
  // Other tests in this process need the Request and the Response of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const listening = await listen(createServer(listener));
  const envelope = { errors: [], messages: [], result: null };
  const add: AddRoute = (method, path, handle) =>
    app[method](`/client/v4/accounts/account${path}`, async (c) =>
      c.json({ ...envelope, success: true, result: (await handle(c)) ?? null }),
    );
  app.use(async (c, next) => {
    if (!api.refused?.test(`${c.req.method} ${c.req.url}`)) return next();
    api.refused = undefined;
    return c.html("<h1>Service Unavailable</h1>", 503);
  });
  const api: Api = {
    ...listening,
    databases: addDatabases(add, listening.origin),
    ...{ namespaces: [], pairs: new Map(), workers: new Map() },
    ...{ subdomain: "example", refused: undefined, unknown: [] },
  };
  addNamespaces(add, api);
  addWorkers(add, api);
  addPreviews(add, api);
  app.get("/healthz", (c) => c.json({ code: { id: [...api.workers.values()].at(-1)?.id } }));
  app.put("/upload", async (c) => {
    c.header("ETag", `"${api.databases.upload(await c.req.arrayBuffer())}"`);
    return c.json({});
  });
  app.notFound((c) => {
    api.unknown.push(`${c.req.method} ${c.req.path}`);
    throw new ApiError(7003, `no route for ${c.req.path}`);
  });
  app.onError((error, c) => {
    const { code = 7500, message } = Object(error);
    return c.json({ ...envelope, success: false, errors: [{ code, message }] }, 404);
  });
  return api;
}

const ON = { enabled: true, previews_enabled: true };

function findUpload({ workers }: Api, name: string, code: number): Upload {
  const upload = workers.get(name);
  if (!upload) throw new ApiError(code, `${name} does not exist`);
  return upload;
}

async function addUpload({ workers }: Api, name: string, { req }: Context) {
  const id = randomUUID();
  const [metadata = "{}"] = /\{"main_module".*/.exec(await req.text()) ?? [];
  workers.set(name, { id, metadata, bindings: JSON.parse(metadata).bindings ?? [] });
  return { id, deployment_id: id.replaceAll("-", ""), resources: { script: { etag: "x" } } };
}

/** The subdomain, and the worker with its versions. */
function addWorkers(add: AddRoute, api: Api): void {
  const name = ({ req }: Context) => String(req.param("name"));
  const script = "/workers/scripts/:name";
  add("get", "/workers/subdomain", () => {
    if (api.subdomain === undefined) throw new ApiError(10007, "no subdomain");
    return { subdomain: api.subdomain };
  });
  add("get", "/workers/subdomains/:name", () => {
    throw new ApiError(10032, "This subdomain is available");
  });
  add("put", "/workers/subdomain", async ({ req }) => {
    api.subdomain = (await req.json()).subdomain;
    return { subdomain: api.subdomain };
  });
  add("get", "/workers/scripts", () =>
    [...api.workers.keys()].filter((name) => !name.includes("/")).map((id) => ({ id })),
  );
  add("get", "/workers/services/:name", (c) => {
    findUpload(api, name(c), 10090);
    return { default_environment: { script: { last_deployed_from: "wrangler" } } };
  });
  add("get", "/workers/workers/:name", () => ({ previews_base_config: {}, subdomain: ON }));
  add("get", `${script}/settings`, (c) => findUpload(api, name(c), 10007));
  add("patch", `${script}/settings`, () => ({}));
  add("patch", `${script}/script-settings`, () => ({}));
  add("post", `${script}/assets-upload-session`, () => ({ jwt: "jwt", buckets: [] }));
  add("put", script, (c) => addUpload(api, name(c), c));
  add("post", `${script}/versions`, (c) => addUpload(api, name(c), c));
  add("get", `${script}/deployments`, () => ({ deployments: [] }));
  add("post", `${script}/deployments`, () => ({ id: randomUUID() }));
  add("post", `${script}/subdomain`, () => ON);
  add("get", `${script}/secrets`, () => []);
}

function addPreviews(add: AddRoute, api: Api): void {
  const previews = "/workers/workers/:worker/previews";
  const key = ({ req }: Context) => `${req.param("worker")}/${req.param("name")}`;
  const describe = (name: string) => ({ id: name, name, slug: name, urls: [api.origin] });
  for (const method of ["get", "patch"] as const)
    add(method, `${previews}/:name`, (c) => {
      findUpload(api, key(c), 10025);
      return describe(String(c.req.param("name")));
    });
  add("post", previews, async ({ req }) => describe((await req.json()).name));
  add("post", `${previews}/:name/deployments`, async (c) => ({
    ...(await addUpload(api, key(c), c)),
    ...{ urls: [api.origin], env: {} },
  }));
  add("get", `${previews}/:name/deployments/latest`, () => {
    throw new ApiError(10222, "no deployment");
  });
  add("delete", `${previews}/:name`, (c) => {
    findUpload(api, key(c), 10025);
    api.workers.delete(key(c));
  });
}
