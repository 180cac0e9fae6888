import type { AppContext } from "../bindings.ts";
import { MethodNotAllowedError } from "./errors.ts";

/** The methods of the collection (specification, "List records"). */
export const COLLECTION_METHODS = "GET, OPTIONS";

/** Rejects all methods but GET and HEAD, as the last route of a path. Hono's own middleware for this would add a second router. */
export function rejectMethod({ req }: AppContext): never {
  throw new MethodNotAllowedError(req.method, "GET, HEAD");
}
