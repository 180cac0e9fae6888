import type { ExecutionContext } from "hono";
import type { Env } from "../../src/bindings.ts";
import app from "../../src/index.ts";

type Bindings = Required<Env>;

/** How many requests have arrived, and how often the namespace was read. */
const counts = { requests: 0, reads: 0 };

let isOpen = false;

/** The namespace whose reads wait until the gate is open. */
function gate(namespace: Bindings["KV"]): Bindings["KV"] {
  const get = async (...parameters: Parameters<typeof namespace.get>) => {
    counts.reads += 1;
    // A request of workerd cannot wait for what another one does.
    while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 10));
    return namespace.get(...parameters);
  };
  return { get } as unknown as Bindings["KV"];
}

// A read can be joined for a second, and a busy machine may take longer for the requests that join it.
Date.now = () => 0;

let gated: Bindings | undefined;

/** The worker with a namespace that is read after `/open` was requested. `/counts` returns the counts. */
export default {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/counts") return Response.json(counts);
    if (pathname === "/open") {
      isOpen = true;
      return new Response();
    }
    counts.requests += 1;
    gated ??= { ...env, KV: gate(env.KV) };
    return app.fetch(request, gated, context);
  },
};
