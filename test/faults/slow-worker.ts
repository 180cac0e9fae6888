import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { type Faulty, openFaulty, READ_MS, slow } from "./faulty.ts";

let faulty: Faulty | undefined;

/** The worker with slow stores that count their reads. `/reads` returns the count. */
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
    if (!faulty) {
      faulty = openFaulty(env);
      faulty.cause(slow(READ_MS));
    }
    if (new URL(request.url).pathname === "/reads") return new Response(String(faulty.attempts()));
    return app.fetch(request, faulty.env, context);
  },
};
