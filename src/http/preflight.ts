import type { AppMiddleware } from "../bindings.ts";
import { COLLECTION_METHODS } from "./methods.ts";

/**
 * Responds to CORS preflights. Hono's own middleware treats every OPTIONS request as a preflight, but the collection responds to OPTIONS.
 * Browsers do not send `PUT`, `PATCH` or `DELETE` after this response, so in a script these methods fail without a status.
 */
export const respondToPreflight: AppMiddleware = async (c, next) => {
  if (c.req.header("Access-Control-Request-Method") === undefined) return next();
  return c.body(null, 204, {
    "Access-Control-Allow-Methods": COLLECTION_METHODS,
    "Access-Control-Allow-Headers": "*",
    // Browsers may cache the response for a day, because it is always the same.
    "Access-Control-Max-Age": "86400",
  });
};
