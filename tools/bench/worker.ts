import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { STATE_KEY } from "../../src/store/blocks.ts";

/** The service as it is deployed. After its first answer a page comes from the instance's memory. */
export default app;

/** The service with an empty memory for each request: openStore keeps one for each environment object. */
export const cold = {
  fetch: (request: Request, env: Env, context: ExecutionContext) => app.fetch(request, { ...env }, context),
};

/** The least that a worker can do: it answers always the same page. */
export const floor = { fetch: answerConstantly };

/** The least that a worker can do which asks its store: it reads one row, or one key, and answers the same page. */
export const storeFloor = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    await readLeast(env);
    return answerConstantly(request, env, context);
  },
};

let constant: { body: string; headers: Headers } | undefined;

/** The service's own answer to the first request ever, so that floors send as many bytes and headers as pages do. */
async function answerConstantly(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  if (!constant) {
    const answer = await app.fetch(request, env, context);
    constant = { body: await answer.text(), headers: answer.headers };
  }
  return new Response(constant.body, { headers: constant.headers });
}

/** A session, as src/store/d1.ts opens one for each read. */
async function readLeast({ STORE, DB, KV }: Env): Promise<void> {
  const read =
    STORE === "d1"
      ? DB.withSession("first-unconstrained").prepare("SELECT count FROM state WHERE only = 1").first()
      : KV.get(STATE_KEY, "text");
  if ((await read) === null) throw new Error(`${STORE} holds no state`);
}
