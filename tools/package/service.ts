import { createHash } from "node:crypto";
import { joinSources, listBlocks } from "../../data/collection.ts";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import { findOrigin } from "../../src/http/request.ts";
import { requirePreferences } from "../../src/mock/prefer.ts";
import { createMemoryStore, type MemoryStore } from "../../src/store/memory.ts";
import { assignStore } from "../../src/store/open.ts";
import { checkRecords, type NamedCollection, type Reporting, readCollection } from "./collection.ts";
import { findLength } from "./fixed-length-stream.ts";
import type { Service, ServiceOptions } from "./index.d.ts";
import { ClosedConnection, listen } from "./listen.ts";
import { versionProblem } from "./node-version.ts";
import { ASSETS, respondWithFile } from "./site.ts";

/** The version of the package. The build replaces this name. */
declare const VERSION: string;

/** A service in Node needs no help to finish what a request has begun. */
const CONTEXT = { waitUntil() {}, passThroughOnException() {}, props: {} };

/** Does what `createService` of index.d.ts does, and shows how files are read. */
export function createService(options: ServiceOptions = {}, reporting: Reporting = {}): Service {
  if (versionProblem !== undefined) throw new Error(versionProblem);
  const store = createMemoryStore();
  const env = createEnv(options);
  assignStore(env, store);
  const replace = createLoader(store);
  const ready = readCollection(options, reporting).then(replace);
  // The methods reject with the same error, so the process need not end if nobody handles this promise.
  ready.catch(() => {});
  const app = createApp(options.now ? { now: options.now } : {});
  const respond = createResponder((request) => app.fetch(request, env, CONTEXT));
  return {
    ready,
    async fetch(request) {
      await ready;
      return respond(request);
    },
    async listen(address) {
      await ready;
      return listen(respond, address);
    },
    async replace(records) {
      await ready;
      replace(await checkRecords(records));
    },
    reset: app.reset,
    get prefer() {
      return env.PREFER ?? "";
    },
    set prefer(text) {
      requirePreferences("prefer", text);
      env.PREFER = text;
      app.reset();
    },
  };
}

/** The bindings and variables that a deployment has in wrangler.toml. */
function createEnv({ publicOrigin = "", prefer = "" }: ServiceOptions): Env {
  // These throw if the settings are wrong.
  findOrigin("http://localhost", publicOrigin);
  requirePreferences("prefer", prefer);
  const env = {
    STORE: "memory",
    PUBLIC_ORIGIN: publicOrigin,
    RATE_LIMIT: "off",
    PREFER: prefer,
    ASSETS,
    CF_VERSION_METADATA: { id: VERSION, tag: "", timestamp: "" },
  };
  return env as Partial<Record<keyof Env, unknown>> as Env;
}

/** Creates a function that loads a collection. */
function createLoader(store: MemoryStore) {
  let loads = 0;
  return ({ staged, sources, hash }: NamedCollection): void => {
    // The name of a load must not be used again, even for the same records.
    const load = createHash("sha256").update(`${VERSION} ${hash} ${loads++}`).digest("hex").slice(0, 20);
    const next = { load, count: staged.count, source: joinSources(sources) };
    try {
      store.replace(next, listBlocks(staged, sources));
    } finally {
      staged.close();
    }
  };
}

/** Adds to the app what the platform does around it: static files, and the length of a body that is cut. */
function createResponder(respond: (request: Request) => Response | Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    const response = respondWithFile(request) ?? (await respond(request));
    request.signal.throwIfAborted();
    if (isClosed(response)) throw new ClosedConnection();
    const length = findLength(response.body);
    if (length !== undefined) response.headers.set("Content-Length", String(length));
    return response;
  };
}

/** Whether the fault `close` was applied. */
function isClosed({ headers }: Response): boolean {
  return headers.get("Preference-Applied")?.split(", ").includes("close") ?? false;
}
