import type { MiddlewareHandler } from "hono";

/** A day: what a preflight answers never depends on the request, so a browser need not ask again sooner. */
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/**
 * Puts on every answer what the whole service promises: any origin may read it (Fetch standard, "CORS protocol"),
 * and its content is what its type says.
 */
export const serviceHeaders: MiddlewareHandler = (c, next) => {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "*");
  c.header("X-Content-Type-Options", "nosniff");
  return next();
};

/**
 * Answers preflights, whatever they ask: a browser that is refused one never shows its script the real answer,
 * a 405 with its reason, say.
 */
export const answerPreflight: MiddlewareHandler = async (c, next) => {
  if (c.req.method !== "OPTIONS" || c.req.header("Access-Control-Request-Method") === undefined)
    return next();
  c.header("Access-Control-Allow-Methods", "GET, OPTIONS");
  c.header("Access-Control-Allow-Headers", "*");
  c.header("Access-Control-Max-Age", String(PREFLIGHT_MAX_AGE_SECONDS));
  return c.body(null, 204);
};
