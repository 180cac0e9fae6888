import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";

let sent = 0;

/** The worker, which counts the pieces of the last slow body: `/sent` tells how many were sent. */
export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/sent") return new Response(String(sent));
    const answer = await app.fetch(request, env, context);
    if (!answer.body || !request.url.includes("body=slow")) return answer;
    sent = 0;
    return new Response(answer.body.pipeThrough(new TransformStream({ transform: count })), answer);
  },
};

function count(piece: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
  sent += 1;
  controller.enqueue(piece);
}
