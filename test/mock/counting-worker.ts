import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";

let sent = 0;

/** The worker, which also counts the pieces of the last slow body. `/sent` returns how many were sent. */
export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/sent") return new Response(String(sent));
    const response = await app.fetch(request, env, context);
    if (!response.body || !request.url.includes("body=slow")) return response;
    sent = 0;
    return new Response(response.body.pipeThrough(new TransformStream({ transform: count })), response);
  },
};

function count(piece: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
  sent += 1;
  controller.enqueue(piece);
}
