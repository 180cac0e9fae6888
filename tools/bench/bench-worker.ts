import type { ExecutionContext } from "hono";
import type { Env } from "../../src/bindings.ts";
import app from "../../src/index.ts";
import { getCachedStore } from "../../src/store/create-store.ts";

// An export has the name of the mode that it is measured for (cases.ts).

export { default, default as hot } from "../../src/index.ts";

/** Instances that respond to no request at the moment, so that two requests never share a read. */
const idle: Env[] = [];

/** The service of instances that know the state, and keep no block and no page. */
export const cold = {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const instance = idle.pop() ?? { ...env };
    getCachedStore(instance, 0);
    const response = await app.fetch(request, instance, context);
    idle.push(instance);
    return response;
  },
};

/** The least that a worker can do: it responds with a page that does not change, with the headers of the service. */
export const baseline = createBaseline();

/** The least that a worker with a store can do: it also reads a key, or a row in a session, of about 1 KB. */
export const store_baseline = createBaseline(({ STORE, DB, KV }) => {
  if (STORE === "kv") return KV.get("baseline");
  return DB.withSession("first-unconstrained").prepare("SELECT text FROM baseline").first("text");
});

function createBaseline(read?: (env: Required<Env>) => Promise<unknown>) {
  let page: { body: string; headers: Headers } | undefined;
  return {
    async fetch(request: Request, env: Required<Env>, context: ExecutionContext) {
      if (read && !(await read(env))) throw new Error(`${env.STORE} has no baseline`);
      if (page) return new Response(page.body, page);
      const response = await app.fetch(request, env, context);
      page = { body: await response.clone().text(), headers: response.headers };
      return response;
    },
  };
}
