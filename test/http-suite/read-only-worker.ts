import type { ExecutionContext } from "hono";
import type { Env } from "../../src/bindings.ts";
import app from "../../src/index.ts";

type Bindings = Required<Env>;

/** Returns bindings of the stores that can only read. All other methods are missing. */
function restrict({ DB, KV }: Bindings) {
  const withSession = (constraint: string) => {
    const session = DB.withSession(constraint);
    const prepare = (sql: string) => {
      if (/^\s*SELECT\b/.test(sql) && !sql.includes(";")) return session.prepare(sql);
      throw new Error(`The worker runs a statement other than SELECT: ${sql}`);
    };
    return { prepare };
  };
  return { DB: { withSession }, KV: { get: KV.get.bind(KV) } } as unknown as Pick<Bindings, "DB" | "KV">;
}

let restricted: Bindings | undefined;

/** The worker with bindings that can only read. */
export default {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Response | Promise<Response> {
    restricted ??= { ...env, ...restrict(env) };
    return app.fetch(request, restricted, context);
  },
};
