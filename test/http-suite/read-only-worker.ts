import type { ExecutionContext } from "hono";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";

/** The binding of which only some methods can be used; any other one throws. */
function restrict<T extends object>(binding: T, methods: Partial<T>): T {
  return new Proxy(binding, {
    get(_, name) {
      if (name in methods) return methods[name as keyof T];
      throw new Error(`The worker uses ${String(name)} of a binding`);
    },
  });
}

function restrictDatabase(database: Env["DB"]): Env["DB"] {
  return restrict(database, {
    withSession(constraint) {
      const session = database.withSession(constraint);
      return restrict(session, {
        prepare(sql) {
          if (/^\s*SELECT\b/.test(sql) && !sql.includes(";")) return session.prepare(sql);
          throw new Error(`The worker runs a statement that is not a SELECT: ${sql}`);
        },
      });
    },
  });
}

const restricted = new WeakMap<Env, Env>();

/** The worker with bindings that throw if it does anything but read. */
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
    const { DB, KV } = env;
    const readOnly = restricted.get(env) ?? {
      ...env,
      DB: restrictDatabase(DB),
      KV: restrict(KV, { get: KV.get.bind(KV) as typeof KV.get }),
    };
    restricted.set(env, readOnly);
    return app.fetch(request, readOnly, context);
  },
};
