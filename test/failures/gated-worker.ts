import type { ExecutionContext } from "hono";
import type { Env } from "../../src/bindings.ts";
import app from "../../src/index.ts";

type Bindings = Required<Env>;

/** The numbers of received requests and of reads of the namespace. */
const counts = { requests: 0, reads: 0 };

let isOpen = false;

/** Lets the reads of a namespace wait for a request to `/open`. */
function addGate(namespace: Bindings["KV"]): Bindings["KV"] {
  const get = async (...parameters: Parameters<typeof namespace.get>) => {
    counts.reads += 1;
    // In workerd, a request cannot wait for a promise of a different request.
    while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 10));
    return namespace.get(...parameters);
  };
  return { get } as unknown as Bindings["KV"];
}

// Requests can join a read for one second only. On a slow machine, they may arrive later, so the clock stands still.
Date.now = () => 0;

let gated: Bindings | undefined;

/** The worker with a gate in front of its namespace. `/counts` returns the counts. */
export default {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/counts") return Response.json(counts);
    if (pathname === "/open") {
      isOpen = true;
      return new Response();
    }
    counts.requests += 1;
    gated ??= { ...env, KV: addGate(env.KV) };
    return app.fetch(request, gated, context);
  },
};
