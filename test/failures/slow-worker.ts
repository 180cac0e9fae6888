import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";

let reads = 0;

/** The namespace with slow reads, which are counted. */
function slowDown(namespace: Env["KV"], milliseconds: number): Env["KV"] {
  const get = async (...parameters: Parameters<typeof namespace.get>) => {
    reads += 1;
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return namespace.get(...parameters);
  };
  return { get } as unknown as Env["KV"];
}

let slow: Env | undefined;

/** The worker with a namespace that takes `READ_MS` for a read. `/reads` returns how often it was read. */
export default {
  fetch(
    request: Request,
    env: Env & { READ_MS: string },
    context: ExecutionContext,
  ): Response | Promise<Response> {
    slow ??= { ...env, KV: slowDown(env.KV, Number(env.READ_MS)) };
    if (new URL(request.url).pathname === "/reads") return new Response(String(reads));
    return app.fetch(request, slow, context);
  },
};
