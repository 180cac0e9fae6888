import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { httpError, methodNotAllowed } from "../http/errors.ts";
import { negotiate } from "../http/negotiation.ts";
import { findOrigin } from "../http/origin.ts";
import { lastValue } from "../http/query.ts";
import { lastPage, neighbours, type PageNumber, pageUrl, parsePageNumber } from "./page.ts";
import { d1Store } from "./store/d1.ts";
import type { StoredPage } from "./store/store.ts";

const PATH = "/api/tf1/records/";
const PATH_WITHOUT_SLASH = "/api/tf1/records";

/** The paths at which the collection answers, be it by a redirect. */
export const COLLECTION_PATHS = [PATH, PATH_WITHOUT_SLASH];

/** What OPTIONS answers; the specification does not show it, so it is what a Django REST Framework list view says. */
const DESCRIPTION = {
  name: "Traffic Count Records",
  description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
  renders: ["application/json"],
  parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
};

type CollectionEnv = { Bindings: Env; Variables: { query: URLSearchParams } };

/** Puts on every answer of the collection what the specification shows on each (specification, "List records"). */
export const collectionHeaders: MiddlewareHandler = (c, next) => {
  c.header("Allow", "GET, OPTIONS");
  c.header("Vary", "Accept");
  return next();
};

/** The collection (specification, "Endpoints"). */
export const records = new Hono<CollectionEnv>();

records.all(PATH_WITHOUT_SLASH, (c) => c.redirect(PATH + new URL(c.req.url).search, 301));

records.use(PATH, (c, next) => {
  const query = new URL(c.req.url).searchParams;
  negotiate(lastValue(query, "format"), c.req.header("Accept"));
  c.set("query", query);
  return next();
});

records.get(PATH, async (c) => {
  const page = requirePage(parsePageNumber(lastValue(c.var.query, "page")));
  const stored = await d1Store(c.env.DB).page(page);
  return c.body(writeEnvelope(requireInside(stored), c), 200, { "Content-Type": "application/json" });
});

records.options(PATH, (c) => c.json(DESCRIPTION));

records.all(PATH, (c) => {
  throw methodNotAllowed(c.req.method);
});

function requirePage(page: PageNumber | undefined): PageNumber {
  if (page === undefined) throw invalidPage();
  return page;
}

function requireInside(stored: StoredPage): StoredPage {
  if (stored.number > lastPage(stored.state.count)) throw invalidPage();
  return stored;
}

function invalidPage() {
  return httpError(404, "Invalid page.");
}

/** The page envelope (specification), around records that are JSON already. */
function writeEnvelope({ state, number, results }: StoredPage, c: Context<CollectionEnv>): string {
  const collection = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + PATH;
  const { next, previous } = neighbours(state.count, number);
  const link = (page: number | null) =>
    JSON.stringify(page === null ? null : pageUrl(collection, c.var.query, page));
  return `{"count":${state.count},"next":${link(next)},"previous":${link(previous)},"results":${results}}`;
}
