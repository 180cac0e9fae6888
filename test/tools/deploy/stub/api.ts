import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../../../listen.ts";
import { type Asked, Refusal, refuse } from "./asked.ts";
import { type Databases, openDatabases } from "./databases.ts";
import { STORE_ROUTES } from "./store-routes.ts";
import { WORKER_ROUTES } from "./worker-routes.ts";

/** As much of the platform's own API as wrangler asks for when this project is deployed. */
export interface Api {
  origin: string;
  databases: Databases;
  namespaces: { id: string; title: string }[];
  /** What the namespaces hold, by their ids. */
  pairs: Map<string, Map<string, string>>;
  /** Names of previews. */
  previews: Set<string>;
  /** Ids of the versions of the worker that were deployed, and what was uploaded with them; the last one serves. */
  versions: { id: string; metadata: string }[];
  /** What is asked for that it does not know. */
  unknown: string[];
  close(): Promise<void>;
}

/** Starts the API, and at the same address the worker that is deployed to it. */
export async function startApi(): Promise<Api> {
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("latin1");
    const { status, answer } = await respond(request, body);
    const etag = createHash("md5").update(body, "latin1").digest("hex");
    response
      .writeHead(status, { "Content-Type": "application/json", ETag: `"${etag}"` })
      .end(JSON.stringify(answer));
  });
  const api: Api = {
    ...(await listen(server)),
    databases: openDatabases(),
    namespaces: [],
    pairs: new Map(),
    previews: new Set(),
    versions: [],
    unknown: [],
  };

  async function respond({ method = "", url = "" }: IncomingMessage, body: string) {
    if (url === "/healthz") return { status: 200, answer: { code: { id: api.versions.at(-1)?.id } } };
    if (url === "/upload") return { status: 200, answer: api.databases.keep(body) };
    const path = url.replace("/client/v4/accounts/account", "");
    try {
      const result = answerRoute({ method, path, body, api }) ?? null;
      return { status: 200, answer: { success: true, errors: [], messages: [], result } };
    } catch (error) {
      const { status, code } = error instanceof Refusal ? error : { status: 400, code: 7500 };
      const errors = [{ code, message: error instanceof Error ? error.message : String(error) }];
      return { status, answer: { success: false, errors, messages: [], result: null } };
    }
  }
  return api;
}

function answerRoute(asked: Asked): unknown {
  const text = `${asked.method} ${asked.path}`;
  for (const [pattern, answer] of [...STORE_ROUTES, ...WORKER_ROUTES]) {
    const match = pattern.exec(text);
    if (match) return answer(asked, ...match.slice(1));
  }
  asked.api.unknown.push(text);
  return refuse(404, 7003, `not known here: ${text}`);
}
