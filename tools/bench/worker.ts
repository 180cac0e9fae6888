import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import { cachedStore } from "../../src/store/open.ts";
import { createSlowEnv, type SlowEnv } from "./slow-env.ts";

/** The service as it is deployed. After the first response, a page comes from the instance's memory. */
export default app;

/** More than there are requests at a time: an instance would share one read among several. */
const INSTANCES = 32;
const instances = new Map<number, Env>();
let requests = 0;

/** The service of instances that know the state and keep neither blocks nor pages. */
export const cold = {
  fetch(request: Request, env: Env, context: ExecutionContext) {
    const number = requests++ % INSTANCES;
    const instance = instances.get(number) ?? { ...env };
    instances.set(number, instance);
    cachedStore(instance, 0);
    return app.fetch(request, instance, context);
  },
};

/** The service of a new instance for each request, which does not even know the state. */
export const empty = {
  fetch: (request: Request, env: Env, context: ExecutionContext) => app.fetch(request, { ...env }, context),
};

let walk: SlowEnv | undefined;

/**
 * The service of an instance that begins with nothing in memory: `/begin?delay=MS` makes a new one, whose store takes so
 * long for each read, and `/reads` reports how many reads there were since.
 */
export const walked = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/begin") {
      walk = createSlowEnv(env, Number(searchParams.get("delay")));
      return new Response();
    }
    if (!walk) return new Response("begin first", { status: 409 });
    if (pathname === "/reads") return new Response(String(walk.reads()));
    return app.fetch(request, walk.env, context);
  },
};

/** The least that a worker can do: it always responds with the same page. */
export const floor = { fetch: respondConstantly };

/** The least that a worker with a store can do: it reads one row, or one key, and responds with the same page. */
export const storeFloor = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    await readLeast(env);
    return respondConstantly(request, env, context);
  },
};

let constant: { body: string; headers: Headers } | undefined;

/** The service's own response to the first request ever, so that floors send as many bytes and headers as pages do. */
async function respondConstantly(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  if (!constant) {
    const response = await app.fetch(request, env, context);
    constant = { body: await response.text(), headers: response.headers };
  }
  return new Response(constant.body, { headers: constant.headers });
}

/** In a session, as src/store/d1.ts reads. */
async function readLeast({ STORE, DB, KV }: Env): Promise<void> {
  const read =
    STORE === "d1"
      ? DB.withSession("first-unconstrained").prepare("SELECT count FROM state WHERE only = 1").first()
      : KV.get(STATE_KEY, "text");
  if ((await read) === null) throw new Error(`${STORE} holds no state`);
}
