import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { HttpError, methodNotAllowed } from "../http/errors.ts";
import { isCurrent, PAGE_CACHING } from "../http/headers.ts";
import { type Markup, respondHtml } from "../http/html.ts";
import { findOrigin, lastValue, negotiate, type Representation, readQuery } from "../http/request.ts";
import { openStore } from "../store/open.ts";
import type { WaitUntil } from "../store/shared-reads.ts";
import type { State } from "../store/store.ts";
import { DESCRIPTION, METHODS } from "./description.ts";
import { COLLECTION_PATH, writeEnvelope } from "./envelope.ts";
import { type AsOf, lastPage, type PageNumber, pageUrls, parseAsOf, parsePageNumber } from "./page.ts";

const PATH = COLLECTION_PATH;
const PATH_WITHOUT_SLASH = PATH.slice(0, -1);

/** The query parameter that holds a walk to one state: the design's positions make every earlier state readable. */
const AS_OF = "as_of";

/** The paths at which the collection answers, be it by a redirect. */
export const COLLECTION_PATHS = [PATH, PATH_WITHOUT_SLASH];

type CollectionContext = Context<{ Bindings: Env }>;

/** A page of the collection, for a person to look at. */
export interface PageView {
  count: number;
  /** Its number. */
  number: number;
  /** The body of the answer that a client gets, and its headers. */
  envelope: string;
  headers: Headers;
  /** The absolute URL of each page, with the other parameters of the request. */
  url: (page: number) => string;
  /** The query of the request; it names the state where the links do. */
  query: URLSearchParams;
}

/** Makes the web page of a page of the collection. */
export type RenderPage = (view: PageView, c: Context) => Promise<Markup>;

/** Puts on every answer of the collection what the specification shows on each (specification, "List records"). */
export const collectionHeaders: MiddlewareHandler = (c, next) => {
  c.header("Allow", METHODS);
  c.header("Vary", "Accept");
  return next();
};

/**
 * The collection (specification, "Endpoints").
 * @param render makes the web page of a page, for a browser
 */
export function collection(render: RenderPage): Hono<{ Bindings: Env }> {
  const records = new Hono<{ Bindings: Env }>();

  records.all(PATH_WITHOUT_SLASH, (c) => c.redirect(PATH + new URL(c.req.url).search, 301));

  records.get(PATH, (c) => {
    const query = readQuery(c.req.url);
    return negotiateFor(c, query) === "json" ? answerJson(c, query) : answerPage(c, query, render);
  });

  records.options(PATH, (c) => {
    negotiateFor(c, readQuery(c.req.url));
    return c.json(DESCRIPTION);
  });

  records.all(PATH, (c) => {
    negotiateFor(c, readQuery(c.req.url));
    throw methodNotAllowed(c.req.method, METHODS);
  });

  return records;
}

/** Each answer begins with it, whatever the method; a middleware for it would cost each page a hop. */
function negotiateFor(c: CollectionContext, query: URLSearchParams): Representation {
  return negotiate(lastValue(query, "format"), c.req.header("Accept"));
}

async function answerJson(c: CollectionContext, query: URLSearchParams): Promise<Response> {
  const asked = parseQuery(query);
  const unchanged = await findUnchanged(c, asked);
  if (unchanged) return c.body(null, 304, keepable(unchanged));
  const { envelope, headers } = await readPage(c, query, asked);
  return c.body(envelope, 200, headers);
}

/** A web page changes with the site too, so it has no entity-tag. */
async function answerPage(
  c: CollectionContext,
  query: URLSearchParams,
  render: RenderPage,
): Promise<Response> {
  const { headers, ...read } = await readPage(c, query, parseQuery(query));
  const all = new Headers(c.res.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return respondHtml(c, await render({ ...read, headers: all }, c), 200, { "Cache-Control": PAGE_CACHING });
}

/** The page's entity-tag, if it is the one of the client's copy: then no record is read. */
async function findUnchanged(c: CollectionContext, { page, asOf }: Asked): Promise<string | undefined> {
  const ifNoneMatch = c.req.header("If-None-Match");
  if (ifNoneMatch === undefined) return undefined;
  const current = await openStore(c.env).state(waitWith(c));
  const state = { ...current, count: toCount(asOf) ?? current.count };
  // What is known of the state may be some seconds old.
  if (state.count > current.count) return undefined;
  const etag = writeEtag(state, requireInside(page, state));
  return isCurrent(ifNoneMatch, etag) ? etag : undefined;
}

async function readPage(c: CollectionContext, asked: URLSearchParams, { page, asOf }: Asked) {
  const stored = await openStore(c.env).page(page, waitWith(c), toCount(asOf));
  const { state, current, results } = stored;
  if (state.count > current.count) throw invalidPage();
  const number = requireInside(stored.number, state);
  const query = asOf === undefined ? asked : pin(asked, state);
  const url = pageUrls(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + PATH, query);
  const { count } = state;
  const headers = { ...keepable(writeEtag(state, number)), "Content-Type": "application/json" };
  return { count, number, url, query, envelope: writeEnvelope({ count, number, results }, url), headers };
}

function waitWith(c: CollectionContext): WaitUntil {
  return (work) => c.executionCtx.waitUntil(work);
}

/** What a request asks for. */
interface Asked {
  page: PageNumber;
  /** The state that its pages hold to; undefined is the current one, whichever that is. */
  asOf: AsOf | undefined;
}

/** @throws 404 if it names no page of any state */
function parseQuery(query: URLSearchParams): Asked {
  const page = parsePageNumber(lastValue(query, "page"));
  const text = lastValue(query, AS_OF);
  const asOf = text === null ? undefined : parseAsOf(text);
  if (page === undefined || (text !== null && asOf === undefined)) throw invalidPage();
  return { page, asOf };
}

function toCount(asOf: AsOf | undefined): number | undefined {
  return asOf === "latest" ? undefined : asOf;
}

/** The query with the state by its count, so that the pages that it links to are pages of the same one. */
function pin(query: URLSearchParams, { count }: State): URLSearchParams {
  const pinned = new URLSearchParams(query);
  pinned.set(AS_OF, String(count));
  return pinned;
}

function requireInside(page: PageNumber, { count }: State): number {
  const last = lastPage(count);
  const number = page === "last" ? last : page;
  if (number > last) throw invalidPage();
  return number;
}

/** The page asked for is none of the collection. */
export function invalidPage() {
  return new HttpError(404, { detail: "Invalid page.", code: "invalid_page" });
}

/** The entity-tag of a page, a strong one: a state's pages never change (RFC 9110, 8.8.3). */
function writeEtag({ version, count }: State, number: number): string {
  return `"${version}-${count}-${number}-json"`;
}

/** The headers by which a copy of a page is kept and validated. */
function keepable(etag: string): Record<string, string> {
  return { ETag: etag, "Cache-Control": PAGE_CACHING };
}
