import { Hono } from "hono";
import type { Env } from "./env.ts";
import { createErrorHandler, HttpError } from "./http/errors.ts";
import { respondToPreflight, serviceHeaders } from "./http/headers.ts";
import { createRateLimit, findLimitPeriod } from "./http/rate-limit.ts";
import { createMock } from "./mock/middleware.ts";
import { health } from "./records/health.ts";
import { COLLECTION_PATHS, collection, collectionHeaders, type RenderPage } from "./records/route.ts";
import { DOCUMENT_PATH, REFERENCE_PATH } from "./site/about.ts";
import { renderError } from "./site/error-page.tsx";
import { createGo } from "./site/go.ts";
import { createLanding } from "./site/landing/route.ts";
import { renderRecords } from "./site/records/records-page.tsx";
import { createTemplates } from "./site/templates.ts";

/**
 * Creates the service. All that it keeps belongs to it, so several can run in one process.
 * @param now the clock of faults, in milliseconds since 1970; caches use the real one
 */
export function createApp(now = () => Date.now()) {
  const app = new Hono<{ Bindings: Env }>();
  const respondWithError = createErrorHandler(renderError);
  const mock = createMock({ respondWithError, now });
  const rateLimit = createRateLimit(["/", REFERENCE_PATH, DOCUMENT_PATH]);
  const renderPage: RenderPage = (view, c) => renderRecords({ ...view, limitPeriod: findLimitPeriod(c.env) });

  app.use(serviceHeaders);
  for (const path of COLLECTION_PATHS) app.use(path, collectionHeaders);
  app.options("*", respondToPreflight);
  // Before the rate limit and the mock, because a monitor must always get the real state.
  app.route("/", health);
  // One middleware for both, because each one costs every page some time, and most requests use neither.
  app.use((c, next) => rateLimit(c, () => mock.handle(c, next)));
  app.route("/", collection(renderPage));
  app.route("/", createLanding());
  app.route("/", createTemplates());
  app.route("/", createGo());
  app.notFound((c) => respondWithError(new HttpError(404), c));
  app.onError(respondWithError);

  // The first match prepares the router. The platform does not count the start of an instance as time of its first request.
  app.router.match("GET", "/");
  return Object.assign(app, {
    /** Forgets all requests that the fault `times` has counted. */
    reset: mock.reset,
  });
}
