import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { listenOnFreePort } from "../../support/free-port.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { type AddRoute, type Cloudflare, createApiError } from "./cloudflare-api.ts";
import { addDatabases, addNamespaces } from "./cloudflare-stores.ts";
import { addPreviews, addWorkers, getVersion } from "./cloudflare-workers.ts";

/** The paths of the deployed worker that the check of a deployment requests. */
const WORKER_PATHS = /^\/(docs|openapi\.json|healthz|api\/tf1\/records\/?)?$/;

/** Starts the API and, at the same address, our own service as the deployed worker, with a stub of its `/healthz`. */
export async function openCloudflare(): Promise<Cloudflare> {
  const app = new Hono();
  // Other tests in this process need the Request and the Response of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const api: Cloudflare = {
    ...(await listenOnFreePort(createServer(listener))),
    databases: new Map(),
    namespaces: new Map(),
    workers: new Map(),
    subdomain: "example",
    newestShare: 100,
    lastDeployedFrom: "wrangler",
    isLagging: false,
    lostKeys: undefined,
    rejected: undefined,
    rejectionCode: undefined,
    onRequest: undefined,
    lateResponses: 0,
    checked: new Set(),
    missingHeader: undefined,
    unknown: [],
  };
  const respond = (c: Context, result: unknown) =>
    c.json({ success: true, errors: [], messages: [], result });
  const add: AddRoute = (method, path, handle) =>
    app[method](`/client/v4/accounts/:account${path}`, async (c) => respond(c, (await handle(c)) ?? null));
  app.use(async (c, next) => {
    await api.onRequest?.(c.req.raw);
    if (!api.rejected?.test(`${c.req.method} ${c.req.url}`)) return next();
    api.rejected = undefined;
    if (api.rejectionCode !== undefined) throw createApiError(api.rejectionCode, "Authentication error");
    return c.html("<h1>Service Unavailable</h1>", 503);
  });
  const account = { id: "account", name: "The account" };
  app.get("/client/v4/accounts", (c) => respond(c, [account]));
  app.get("/client/v4/memberships", (c) => respond(c, [{ account }]));
  app.get("/client/v4/user/tokens/verify", (c) => respond(c, { status: "active" }));
  app.get("/client/v4/user", (c) => respond(c, { email: "owner@example.org" }));
  const service = await createMemoryService(makeRecords(40));
  app.use(async (c, next) => {
    if (!WORKER_PATHS.test(c.req.path)) return next();
    api.checked.add(c.req.path);
    if (c.req.path === "/healthz") return next();
    // The platform serves static files without the worker.
    if (["/docs", "/openapi.json"].includes(c.req.path)) return c.body(null);
    const response = await service.fetch(c.req.url, c.req.raw);
    if (api.missingHeader !== undefined) response.headers.delete(api.missingHeader);
    return response;
  });
  app.get("/healthz", (c) => {
    api.lateResponses -= 1;
    const id = getVersion(api, { isPrevious: api.lateResponses >= 0 }) ?? "of a preview";
    return c.json({ code: { id } });
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
