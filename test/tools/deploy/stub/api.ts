import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type Listening, listen } from "../../../listen.ts";
import {
  type AddRoute,
  ApiError,
  addDatabases,
  addNamespaces,
  type Databases,
  type Namespaces,
} from "./stores.ts";
import { addPreviews, addWorkers, readServedVersion, type Workers } from "./workers.ts";

/** A stub of the part of Cloudflare's API that the real wrangler uses for this project. */
export interface Api extends Namespaces, Workers, Listening {
  databases: Databases;
  /** The ids of the accounts that the token can use. All have the same content. */
  accounts: string[];
  /** The account of the latest request. */
  usedAccount: string | undefined;
  /** The next request whose method and URL match gets 503 from something in front of the API. */
  refused: RegExp | undefined;
  /** The requests that no route matches. */
  unknown: string[];
}

const ACCOUNT = "/client/v4/accounts/:account";

/** Starts the API and, at the same address, a stub of the deployed worker. */
export async function openApi(): Promise<Api> {
  const app = new Hono();
  // Other tests in this process need the Request and the Response of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const listening = await listen(createServer(listener));
  const envelope = { errors: [], messages: [], result: null };
  const add: AddRoute = (method, path, handle) =>
    app[method](ACCOUNT + path, async (c) =>
      c.json({ ...envelope, success: true, result: (await handle(c)) ?? null }),
    );
  app.use(async (c, next) => {
    if (!api.refused?.test(`${c.req.method} ${c.req.url}`)) return next();
    api.refused = undefined;
    return c.html("<h1>Service Unavailable</h1>", 503);
  });
  app.use(`${ACCOUNT}/*`, (c, next) => {
    api.usedAccount = c.req.param("account");
    return next();
  });
  const api: Api = {
    ...listening,
    databases: addDatabases(add, listening.origin),
    ...{ namespaces: [], pairs: new Map(), workers: new Map() },
    ...{ subdomain: "example", lastDeployedFrom: "wrangler" },
    ...{ accounts: ["account"], usedAccount: undefined, refused: undefined, unknown: [] },
  };
  addNamespaces(add, api);
  addWorkers(add, api);
  addPreviews(add, api, listening.origin);
  const listAccounts = () => api.accounts.map((id) => ({ id, name: `The account ${id}` }));
  app.get("/client/v4/accounts", (c) => c.json({ ...envelope, success: true, result: listAccounts() }));
  app.get("/client/v4/memberships", (c) =>
    c.json({ ...envelope, success: true, result: listAccounts().map((account) => ({ account })) }),
  );
  app.get("/healthz", (c) => c.json({ code: { id: readServedVersion(api) } }));
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
