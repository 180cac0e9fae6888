import { Hono } from "hono";
import type { AppContext, AppEnv, Env } from "./bindings.ts";
import { createFaults } from "./faults/faults.ts";
import { HttpError, respondWithError } from "./http/errors.ts";
import { respondToPreflight, serviceHeaders } from "./http/headers.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import { COLLECTION_PATHS, collectionHeaders, createCollection } from "./routes/collection.ts";
import { createDateJump } from "./routes/date-jump.ts";
import { health } from "./routes/health.ts";
import { createHome } from "./routes/home.ts";
import { requireSettings } from "./settings.ts";
import { renderHtml } from "./views/html-middleware.ts";

/** RFC 9110, 4.1 recommends 8,000 or more. */
const MAX_URL_LENGTH = 8_192;

interface AppOptions {
  /** The clock of faults, in milliseconds since 1970. Caches use the real clock. */
  now?: (() => number) | undefined;
  /** Called at the end of each request, for example to get its variable `applied`. */
  onEnd?: (c: AppContext) => void;
}

/** Creates the service. Several services can run in one process. */
export function createApp({ now = () => Date.now(), onEnd }: AppOptions = {}) {
  const app = new Hono<AppEnv>();
  const faults = createFaults(now);
  const checked = new WeakSet<Env>();

  if (onEnd !== undefined)
    app.use(async (c, next) => {
      await next();
      onEnd(c);
    });
  app.use(serviceHeaders);
  for (const path of COLLECTION_PATHS) app.use(path, collectionHeaders);
  app.options("*", respondToPreflight);
  // The health check comes before the rate limit, so that monitors always get a response.
  app.route("/", health);
  app.use(renderHtml);
  // With an invalid setting, every request fails, so that the setting is noticed. Each environment is checked once.
  app.use((c, next) => {
    if (!checked.has(c.env)) requireSettings(c.env);
    checked.add(c.env);
    return next();
  });
  app.use(createRateLimit(["/"]));
  app.use((c, next) => {
    if (c.req.url.length <= MAX_URL_LENGTH) return next();
    throw new HttpError(414, { detail: `The URL is longer than ${MAX_URL_LENGTH} characters.` });
  });
  app.route("/", createCollection(faults));
  app.route("/", createHome());
  app.route("/", createDateJump(faults));
  app.notFound((c) => respondWithError(new HttpError(404), c));
  app.onError(respondWithError);

  // Hono builds the router at the first match. Build it now, so that the first request does not have to wait.
  app.router.match("GET", "/");
  return Object.assign(app, {
    /** Resets the counters of `times`. */
    reset: faults.reset,
  });
}
