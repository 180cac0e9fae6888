import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { cachedStore } from "../../src/store/open.ts";

// An export has the name of the mode that it is measured for (cases.ts).

export { default, default as hot } from "../../src/index.ts";

/** Instances that respond to no request at the moment, so that two requests never share a read. */
const idle: Env[] = [];

/** The service of instances that know the state, and keep no block and no page. */
export const cold = {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const instance = idle.pop() ?? { ...env };
    cachedStore(instance, 0);
    const response = await app.fetch(request, instance, context);
    idle.push(instance);
    return response;
  },
};

/** By URL, because a page has links. */
const constants = new Map<string, { body: string; headers: Headers }>();

/** The least that a worker can do: it responds with a page that does not change, with the headers of the service. */
export const floor = {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const known = constants.get(request.url);
    if (known) return new Response(known.body, known);
    const response = await app.fetch(request, env, context);
    constants.set(request.url, { body: await response.clone().text(), headers: response.headers });
    return response;
  },
};

/** The least that a worker with a store can do: it also reads one row or one key, of about 1 KB. */
export const store_floor = {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    // In a session, as src/store/d1.ts reads.
    const session = () => env.DB.withSession("first-unconstrained").prepare("SELECT text FROM floor");
    const least = env.STORE === "kv" ? await env.KV.get("floor") : await session().first("text");
    if (least === null) throw new Error(`${env.STORE} has no floor`);
    return floor.fetch(request, env, context);
  },
};
