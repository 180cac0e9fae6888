import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../../../listen.ts";
import { createDatabases } from "./databases.ts";
import { type Api, ApiError, type ApiRequest, throwApiError } from "./route.ts";
import { STORE_ROUTES } from "./store-routes.ts";
import { WORKER_ROUTES } from "./worker-routes.ts";

/** Starts the API and, at the same address, a stub of the deployed worker. */
export async function openApi(): Promise<Api> {
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("latin1");
    if (api.refused?.test(`${request.method} ${request.url}`)) {
      api.refused = undefined;
      response.writeHead(503, { "Content-Type": "text/html" }).end("<h1>Service Unavailable</h1>");
      return;
    }
    const { status, content } = respond(api, request, body);
    const etag = createHash("md5").update(body, "latin1").digest("hex");
    response
      .writeHead(status, { "Content-Type": "application/json", ETag: `"${etag}"` })
      .end(JSON.stringify(content));
  });
  const api: Api = {
    ...(await listen(server)),
    databases: createDatabases(),
    namespaces: [],
    pairs: new Map(),
    previews: new Set(),
    versions: [],
    schedules: [],
    cronTriggers: 5,
    hasSubdomain: true,
    tokens: new Set(),
    terms: undefined,
    refused: undefined,
    unknown: [],
  };
  return api;
}

/** The token of the temporary account. */
export const TEMPORARY_TOKEN = "temporary-token";

function respond(api: Api, { method = "", url = "", headers }: IncomingMessage, body: string) {
  api.tokens.add(headers.authorization ?? "");
  if (url === "/client/v4/provisioning/previews/challenge")
    return { status: 200, content: { result: CHALLENGE } };
  if (url === "/client/v4/provisioning/previews")
    return { status: 200, content: { result: createTemporaryAccount(api, JSON.parse(body)) } };
  if (url === "/healthz") return { status: 200, content: { code: { id: api.versions.at(-1)?.id } } };
  if (url === "/upload") return { status: 200, content: api.databases.upload(body) };
  const path = url.replace("/client/v4/accounts/account", "");
  try {
    const result = handleRequest({ method, path, body, api }) ?? null;
    return { status: 200, content: { success: true, errors: [], messages: [], result } };
  } catch (error) {
    const { status, code } = error instanceof ApiError ? error : { status: 400, code: 7500 };
    const errors = [{ code, message: error instanceof Error ? error.message : String(error) }];
    return { status, content: { success: false, errors, messages: [], result: null } };
  }
}

/** The smallest proof of work. */
const CHALLENGE = { challengeToken: "challenge", seed: Buffer.alloc(32).toString("base64url"), k: 1, g: 1 };

function createTemporaryAccount(api: Api, request: { acceptTermsOfService: string }) {
  api.terms = request.acceptTermsOfService;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return {
    account: { id: "account", name: "Temporary", apiToken: TEMPORARY_TOKEN, expiresAt },
    claim: { url: `${api.origin}/claim/secret`, expiresAt },
  };
}

function handleRequest(request: ApiRequest): unknown {
  const text = `${request.method} ${request.path}`;
  for (const [pattern, handle] of [...STORE_ROUTES, ...WORKER_ROUTES]) {
    const match = pattern.exec(text);
    if (match) return handle(request, ...match.slice(1));
  }
  request.api.unknown.push(text);
  return throwApiError(404, 7003, `The stub of the API has no route ${text}.`);
}
