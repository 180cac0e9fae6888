import { Hono } from "hono";
import type { Env } from "./env.ts";
import { grow } from "./growth/trigger.ts";
import { health } from "./health/route.ts";
import { errorAnswers, notFound } from "./http/errors.ts";
import { rateLimit } from "./http/rate-limit.ts";
import { answerPreflight, serviceHeaders } from "./http/service-headers.ts";
import { misbehaviour } from "./mock/middleware.ts";
import { COLLECTION_PATHS, collection, collectionHeaders } from "./records/route.ts";
import { landing } from "./site/landing/route.ts";
import { openapi } from "./site/openapi/route.ts";
import { renderError, renderPage } from "./site/pages.ts";
import { reference } from "./site/reference/route.ts";

const app = new Hono<{ Bindings: Env }>();
const answerError = errorAnswers(renderError);
const misbehave = misbehaviour(answerError);

app.use(serviceHeaders);
for (const path of COLLECTION_PATHS) app.use(path, collectionHeaders);
app.options("*", answerPreflight);
app.route("/", health);
// One middleware, since each costs every page a hop, and hardly any page needs either.
app.use((c, next) => rateLimit(c, () => misbehave(c, next)));
app.route("/", collection(renderPage));
app.route("/", landing);
app.route("/", openapi);
app.route("/", reference);
app.notFound((c) => answerError(notFound(), c));
app.onError(answerError);

/** The worker: the app answers requests, and the cron trigger of wrangler.toml calls `scheduled`. */
export default Object.assign(app, { scheduled: grow });
