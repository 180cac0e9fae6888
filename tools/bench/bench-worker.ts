import type { ExecutionContext } from "hono";
import type { Env } from "../../src/bindings.ts";
import app from "../../src/index.ts";
import { getCachedStore } from "../../src/store/create-store.ts";

// Each export is named after its mode (cases.ts).

export { default, default as hot } from "../../src/index.ts";

/** Instances without a current request. Concurrent requests never share an instance, so they never share a read of the store. */
const idle: Env[] = [];

/** The service with a cached snapshot, but without cached blocks and pages. */
export const cold = {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const instance = idle.pop() ?? { ...env };
    getCachedStore(instance, { limits: { blocks: 0, pages: 0 } });
    const response = await app.fetch(request, instance, context);
    idle.push(instance);
    return response;
  },
};

/** A worker with the least possible work: it returns a constant page with the headers of the service. */
export const baseline = createBaseline();

/** A worker with the least possible work for a store: it also reads a KV key, or a D1 row in a session, of about 1 KB. */
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
