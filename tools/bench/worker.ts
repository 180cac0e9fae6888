import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { cachedStore } from "../../src/store/open.ts";

// An export has the name of the mode that it is measured for (cases.ts).

export default app;

/** The service as it is deployed. After the first response, a page comes from the instance's memory. */
export const hot = app;

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
    let constant = constants.get(request.url);
    if (!constant) {
      const response = await app.fetch(request, env, context);
      constant = { body: await response.text(), headers: response.headers };
      constants.set(request.url, constant);
    }
    return new Response(constant.body, { headers: constant.headers });
  },
};

/** The least that a worker with a store can do: it also reads one row or one key, of about 1 KB. */
export const store_floor = {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    if ((await readLeast(env)) === null) throw new Error(`${env.STORE} has no floor`);
    return floor.fetch(request, env, context);
  },
};

/** In a session, as src/store/d1.ts reads. */
function readLeast({ STORE, DB, KV }: Env): Promise<unknown> {
  if (STORE === "kv") return KV.get("floor", "text");
  const session = DB.withSession("first-unconstrained");
  return session.prepare("SELECT text FROM floor WHERE id = ?1").bind(1).first("text");
}
