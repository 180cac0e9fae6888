import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Listening, listen } from "../../../listen.ts";
import { ApiError, createStores, type Route, type Stores } from "./stores.ts";

/** A stub of the part of Cloudflare's API that the real wrangler uses for this project. */
export interface Api extends Stores, Listening {
  /** The subdomain of workers.dev; undefined if the account has none. */
  subdomain: string | undefined;
  /** The deployed workers and, as `WORKER/PREVIEW`, previews, with the metadata of their latest uploads. */
  workers: Map<string, Upload>;
  /** The cron triggers of the worker. */
  schedules: { cron: string }[];
  /** How many cron triggers the account has left. */
  cronTriggers: number;
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
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("latin1");
    if (api.refused?.test(`${request.method} ${request.url}`)) {
      api.refused = undefined;
      response.writeHead(503, { "Content-Type": "text/html" }).end("<h1>Service Unavailable</h1>");
      return;
    }
    const path = String(request.url).replace("/client/v4/accounts/account", "");
    const content = respond(api, routes, `${request.method} ${path}`, body);
    const etag = createHash("md5").update(body, "latin1").digest("hex");
    const status = Object(content).success === false ? 404 : 200;
    response
      .writeHead(status, { "Content-Type": "application/json", ETag: `"${etag}"` })
      .end(JSON.stringify(content));
  });
  const listening = await listen(server);
  const { stores, routes: storeRoutes } = createStores(listening.origin);
  const api: Api = Object.assign(stores, listening, {
    subdomain: "example",
    workers: new Map(),
    schedules: [],
    cronTriggers: 5,
    refused: undefined,
    unknown: [],
  });
  const routes = [...storeRoutes, ...createWorkerRoutes(api)];
  return api;
}

function respond(api: Api, routes: Route[], request: string, body: string): unknown {
  if (request === "GET /healthz") return { code: { id: [...api.workers.values()].at(-1)?.id } };
  if (request === "PUT /upload") return api.databases.upload(body);
  for (const [pattern, handle] of routes) {
    const match = pattern.exec(request);
    if (!match) continue;
    try {
      return { success: true, errors: [], messages: [], result: handle(body, ...match.slice(1)) ?? null };
    } catch (error) {
      const { code = 7500, message } = Object(error);
      return { success: false, errors: [{ code, message }], messages: [], result: null };
    }
  }
  api.unknown.push(request);
  return { success: false, errors: [{ code: 7003, message: `no route for ${request}` }], messages: [] };
}

const ON = { enabled: true, previews_enabled: true };

/** The worker, its versions and its previews. */
function createWorkerRoutes(api: Api): Route[] {
  const find = (name: string, code: number) => {
    const upload = api.workers.get(name);
    if (!upload) throw new ApiError(code, `${name} does not exist`);
    return upload;
  };
  const describePreview = (name = "") => ({ id: name, name, slug: name, urls: [api.origin] });
  return [
    [
      /^GET \/workers\/subdomain$/,
      () => {
        if (api.subdomain === undefined) throw new ApiError(10007, "no subdomain");
        return { subdomain: api.subdomain };
      },
    ],
    [
      /^GET \/workers\/subdomains\/./,
      () => {
        throw new ApiError(10032, "This subdomain is available");
      },
    ],
    [
      /^PUT \/workers\/subdomain$/,
      (body) => {
        api.subdomain = JSON.parse(body).subdomain;
        return { subdomain: api.subdomain };
      },
    ],
    [
      /^GET \/workers\/scripts$/,
      () => [...api.workers.keys()].filter((n) => !n.includes("/")).map((id) => ({ id })),
    ],
    [/^GET \/workers\/scripts\/([^/]+)\/settings$/, (_, name = "") => find(name, 10007)],
    [
      /^GET \/workers\/services\/([^/]+)$/,
      (_, name = "") =>
        find(name, 10090) && { default_environment: { script: { last_deployed_from: "wrangler" } } },
    ],
    [/^GET \/workers\/workers\/([^/]+)$/, () => ({ previews_base_config: {}, subdomain: ON })],
    [/^POST \/workers\/scripts\/([^/]+)\/assets-upload-session$/, () => ({ jwt: "jwt", buckets: [] })],
    [/^PUT \/workers\/scripts\/([^/?]+)\?/, (body, name = "") => addUpload(api, name, body)],
    [/^POST \/workers\/scripts\/([^/]+)\/versions\?/, (body, name = "") => addUpload(api, name, body)],
    [/^GET \/workers\/scripts\/[^/]+\/deployments$/, () => ({ deployments: [] })],
    [/^POST \/workers\/scripts\/[^/]+\/deployments(\?.*)?$/, () => ({ id: randomUUID() })],
    [/^PATCH \/workers\/scripts\/[^/]+\/(script-)?settings$/, () => ({})],
    [/^POST \/workers\/scripts\/[^/]+\/subdomain$/, () => ON],
    [/^GET \/workers\/scripts\/[^/]+\/secrets$/, () => []],
    [
      /^PUT \/workers\/scripts\/[^/]+\/schedules$/,
      (body) => {
        const schedules = JSON.parse(body);
        if (schedules.length > api.cronTriggers)
          throw new ApiError(10072, "You have exceeded the limit of 5 cron triggers");
        api.schedules = schedules;
      },
    ],
    [
      /^(?:GET|PATCH) \/workers\/workers\/(.+)\/previews\/([^/]+)$/,
      (_, worker, name) => find(`${worker}/${name}`, 10025) && describePreview(name),
    ],
    [/^POST \/workers\/workers\/.+\/previews\?/, (body) => describePreview(JSON.parse(body).name)],
    [
      /^POST \/workers\/workers\/(.+)\/previews\/([^/]+)\/deployments$/,
      (body, worker, name) => ({ ...addUpload(api, `${worker}/${name}`, body), urls: [api.origin], env: {} }),
    ],
    [
      /^GET \/workers\/workers\/.+\/previews\/[^/]+\/deployments\/latest$/,
      () => {
        throw new ApiError(10222, "no deployment");
      },
    ],
    [
      /^DELETE \/workers\/workers\/(.+)\/previews\/([^/]+)$/,
      (_, worker, name) => find(`${worker}/${name}`, 10025) && api.workers.delete(`${worker}/${name}`),
    ],
  ];
}

function addUpload(api: Api, name: string, body: string) {
  const id = randomUUID();
  const [metadata = "{}"] = /\{"main_module".*/.exec(body) ?? [];
  api.workers.set(name, { id, metadata, bindings: JSON.parse(metadata).bindings ?? [] });
  return { id, deployment_id: id.replaceAll("-", ""), resources: { script: { etag: "x" } } };
}
