import { Hono } from "hono";
import type { AppEnv, AppMiddleware, Env } from "./bindings.ts";
import { createFaults } from "./faults/faults.ts";
import { respondWithError } from "./http/error-response.ts";
import { HttpError } from "./http/errors.ts";
import { addHeaders, respondToPreflight } from "./http/headers.ts";
import { limitUrlLength } from "./http/links.ts";
import { limitRequests } from "./http/rate-limit.ts";
import { createCollection } from "./routes/collection.ts";
import { createDateJump } from "./routes/date-jump.ts";
import { createHealth } from "./routes/health.ts";
import { createHome } from "./routes/home.ts";
import { requireSettings } from "./settings.ts";
import { renderHtml } from "./views/html-middleware.ts";

interface AppOptions {
  /**
   * The clock of faults such as `grow`: returns milliseconds since 1970. Tests can stop it. Caches, waits and timeouts use the real time,
   * because with a stopped clock they would never end.
   */
  now?: (() => number) | undefined;
  /** How many responses may wait at a time; others do not wait. A waiting response uses memory, and an instance of a worker has 128 MB. */
  maxWaiting?: number | undefined;
}

/**
 * Creates the service. Each has its own faults, and each environment (`c.env`) its own caches.
 * @returns `reset` forgets what the faults remember, and `endWaits` closes the connections of responses that wait
 */
export function createApp({ now = () => Date.now(), maxWaiting = 100 }: AppOptions = {}) {
  const app = new Hono<AppEnv>();
  const faults = createFaults(now, maxWaiting);

  // First, because everything else parses or repeats the URL.
  app.use(limitUrlLength);
  // Responses pass in reverse order, so the HTML view also shows the headers that `addHeaders` adds.
  app.use(renderHtml);
  app.use(addHeaders);
  app.options("*", respondToPreflight);
  // Before the check of the settings and the rate limit, so that monitors always get a response.
  app.route("/", createHealth());
  app.use(createSettingsCheck());
  // Before the rate limit, so that users can always read about the service and its limit.
  app.route("/", createHome(faults));
  // All other requests count for the rate limit.
  app.use(limitRequests);
  app.route("/", createCollection(faults));
  app.route("/", createDateJump(faults));
  app.notFound((c) => respondWithError(new HttpError(404), c));
  app.onError(respondWithError);
  return { app, reset: faults.reset, endWaits: faults.endWaits };
}

/** Creates the check of the settings. Valid settings are checked once. With an invalid setting, every request fails, not only the first. */
function createSettingsCheck(): AppMiddleware {
  const valid = new WeakSet<Env>();
  return (c, next) => {
    if (!valid.has(c.env)) {
      requireSettings(c.env);
      valid.add(c.env);
    }
    return next();
  };
}
