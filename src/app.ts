import { Hono } from "hono";
import type { AppContext, AppEnv, AppMiddleware, Env } from "./bindings.ts";
import { createFaults } from "./faults/faults.ts";
import { respondWithError } from "./http/error-response.ts";
import { HttpError } from "./http/errors.ts";
import { setServiceHeaders } from "./http/headers.ts";
import { respondToPreflight } from "./http/preflight.ts";
import { limitRequests } from "./http/rate-limit.ts";
import { COLLECTION_PATHS, createCollection, setCollectionHeaders } from "./routes/collection.ts";
import { createDateJump } from "./routes/date-jump.ts";
import { health } from "./routes/health.ts";
import { createHome } from "./routes/home.ts";
import { limitUrlLength } from "./routes/url-length.ts";
import { requireSettings } from "./settings.ts";
import { renderHtml } from "./views/html-middleware.ts";

interface AppOptions {
  /**
   * The clock of `grow`, `until`, `rate` and `retry-after=date`, in milliseconds since 1970, so that tests can stop it. Caches, waits and
   * timeouts use the real time, because a stopped clock would never end them.
   */
  now?: (() => number) | undefined;
  /** Called at the end of each request, for example to get its variable `applied`. */
  onEnd?: (c: AppContext) => void;
}

/**
 * Creates the service. Several services can run in one process.
 * @returns The app, and a function that resets the counters of `times` and `rate`
 */
export function createApp({ now = () => Date.now(), onEnd }: AppOptions = {}) {
  const app = new Hono<AppEnv>();
  const faults = createFaults(now);

  if (onEnd !== undefined) app.use(callAtEnd(onEnd));
  app.use(setServiceHeaders);
  for (const path of COLLECTION_PATHS) app.use(path, setCollectionHeaders);
  app.options("*", respondToPreflight);
  // Before the check of the settings and the rate limit, so that monitors always get a response.
  app.route("/", health);
  app.use(renderHtml);
  app.use(checkSettings);
  app.use(limitUrlLength);
  // Before the rate limit, so that users can always read about the service and its limit.
  app.route("/", createHome());
  app.use(limitRequests);
  app.route("/", createCollection(faults));
  app.route("/", createDateJump(faults));
  app.notFound((c) => respondWithError(new HttpError(404), c));
  app.onError(respondWithError);
  return { app, reset: faults.reset };
}

function callAtEnd(onEnd: (c: AppContext) => void): AppMiddleware {
  return async (c, next) => {
    await next();
    onEnd(c);
  };
}

/** The environments with valid settings. An instance of the worker has one. */
const checkedEnvironments = new WeakSet<Env>();

/** While a setting is invalid, every request that gets here is a 503, so that the setting is noticed. */
const checkSettings: AppMiddleware = (c, next) => {
  if (!checkedEnvironments.has(c.env)) requireSettings(c.env);
  checkedEnvironments.add(c.env);
  return next();
};
