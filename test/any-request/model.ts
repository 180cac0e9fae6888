import type { TrafficRecord } from "../../src/records/record.ts";
import type { State } from "../../src/store/state.ts";
import type { AnyRequest, Option } from "./requests.ts";

const PATH = "/api/tf1/records/";

/** What is served: the state, and its records newest first. */
export interface Served {
  state: State;
  records: TrafficRecord[];
  /** The id of the version of the code. */
  code: string;
}

/** What the model expects of a response. A field that is undefined is not checked. */
export interface Expected {
  status: number;
  /** The type of the body; `none` if there is no body. */
  type?: "json" | "html" | "none" | undefined;
  /** The whole body, or what it must contain. */
  body?: string | RegExp | undefined;
  headers?: Record<string, string | undefined>;
}

/**
 * The response that the specification and the tables in the README require, computed in the simplest way from records
 * in memory.
 */
export function respond(request: AnyRequest, served: Served): Expected {
  const expected = respondBeforeMock(request, served);
  return request.method === "HEAD" && expected.type !== "none"
    ? { ...expected, type: undefined, body: "" }
    : expected;
}

/** The pages about the service, which the rate limit does not apply to. */
const ABOUT = ["/", "/openapi.json", "/docs"];

function respondBeforeMock(request: AnyRequest, served: Served): Expected {
  const { method, headers, settings } = request;
  if (method === "OPTIONS" && headers["access-control-request-method"] !== undefined)
    return { status: 204, type: "none", headers: { "access-control-allow-methods": "GET, OPTIONS" } };
  if (settings.limited && !ABOUT.includes(pathOf(request)))
    return {
      ...fail(request, 429, "Request was throttled. Expected available in 10 seconds."),
      headers: { "retry-after": "10", "cache-control": "no-store" },
    };
  return misbehave(request, (conditional) => respondNormally(conditional, served));
}

function respondNormally(request: AnyRequest, served: Served): Expected {
  const path = pathOf(request);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (path === PATH.slice(0, -1))
    return { status: 301, type: "none", headers: { location: PATH + request.url.search } };
  if (path === PATH) return respondCollection(request, served);
  if (path === "/docs/" && isRead) return { status: 301, type: "none", headers: { location: "/docs" } };
  if (!ABOUT.includes(path)) return fail(request, 404, "Not found.");
  if (!isRead) return { ...fail(request, 405, refuse(request)), headers: { allow: "GET, HEAD" } };
  if (path === "/docs" && request.condition === "any") return { status: 304, type: "none" };
  if (path === "/docs") return { status: 200, type: "html" };
  if (path === "/openapi.json") return respondDocument(request);
  return negotiate(request) ?? { status: 200, type: representation(request) };
}

function respondDocument(request: AnyRequest): Expected {
  if (request.condition === "any") return { status: 304, type: "none" };
  const origin = JSON.stringify(originOf(request)).replaceAll(/[[\]]/g, "\\$&");
  return { status: 200, type: "json", body: new RegExp(`"url":${origin}`) };
}

const refuse = ({ method }: AnyRequest) => `Method "${method}" not allowed.`;

/** Hono decodes a path before it looks for its route. */
function pathOf({ url: { pathname } }: AnyRequest): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}

const originOf = ({ url, settings }: AnyRequest) => settings.publicOrigin ?? url.origin;

/** An error: JSON, unless the client prefers a web page. */
function fail(request: AnyRequest, status: number, detail: string): Expected {
  const wantsPage = request.accepted === "html" || request.accepted === "neither, but a browser";
  const isPage = lastValue(request, "format") !== "json" && wantsPage;
  return {
    status,
    type: isPage ? "html" : "json",
    body: isPage ? new RegExp(`<h1>${status} `) : JSON.stringify({ detail }),
    headers: { "cache-control": "no-store", etag: undefined },
  };
}

const lastValue = ({ url }: AnyRequest, name: string) => url.searchParams.getAll(name).at(-1);

/** The error if the format or the Accept header cannot be satisfied. */
function negotiate(request: AnyRequest): Expected | undefined {
  const format = lastValue(request, "format");
  if (format === "json") return undefined;
  if (!["", "api", undefined].includes(format)) return fail(request, 404, "Not found.");
  return request.accepted.startsWith("neither")
    ? fail(request, 406, "Could not satisfy the request Accept header.")
    : undefined;
}

const representation = (request: AnyRequest) =>
  lastValue(request, "format") === "json" || request.accepted !== "html" ? "json" : "html";

function respondCollection(request: AnyRequest, served: Served): Expected {
  const { method } = request;
  const refused = negotiate(request);
  if (refused) return refused;
  if (method === "OPTIONS") return { status: 200, type: "json", body: /^{"name":.*"parses":/ };
  if (method !== "GET" && method !== "HEAD")
    return { ...fail(request, 405, refuse(request)), headers: { allow: "GET, OPTIONS" } };
  const number = findPage(request, served);
  return number === undefined ? fail(request, 404, "Invalid page.") : respondPage(request, served, number);
}

/** The page that the request names; undefined if there is no such page. */
function findPage(request: AnyRequest, { state }: Served): number | undefined {
  const page = lastValue(request, "page") || "1";
  if (!/^(\d+|last)$/.test(page) || Number(page) === 0) return undefined;
  const last = Math.max(1, Math.ceil(state.count / 15));
  const number = page === "last" ? last : Number(page);
  return number > last ? undefined : number;
}

function respondPage(request: AnyRequest, served: Served, number: number): Expected {
  const { state, records, code } = served;
  const { count } = state;
  const last = Math.max(1, Math.ceil(count / 15));
  if (representation(request) === "html")
    return {
      status: 200,
      type: "html",
      body: new RegExp(`<title>Records, page ${number} of ${last}\\b`),
      headers: { etag: undefined },
    };
  const etag = `"${state.load}-${count}-${number}-${code.slice(0, 8)}-${originOf(request)}"`;
  const headers = { etag, "cache-control": "public, max-age=5, stale-if-error=3600" };
  if (request.condition === "current" || request.condition === "any")
    return { status: 304, type: "none", headers };
  const link = (page: number) => originOf(request) + PATH + linkQuery(request, page);
  const body = JSON.stringify({
    count,
    next: number < last ? link(number + 1) : null,
    previous: number > 1 ? link(number - 1) : null,
    results: records.slice(15 * (number - 1), 15 * number),
  });
  return { status: 200, type: "json", body, headers };
}

/** The query of a link: the parameters of the request, with format and page, sorted by name. */
function linkQuery(request: AnyRequest, page: number): string {
  const parameters = [...request.url.searchParams].filter(([name]) => !["format", "page"].includes(name));
  const format = lastValue(request, "format") === "json" ? "json" : "api";
  parameters.push(["format", format], ["page", String(page)]);
  parameters.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return `?${new URLSearchParams(parameters)}`;
}

/** The response after the mock has applied the options of the request, as docs/mock.md describes. */
function misbehave(request: AnyRequest, usual: (request: AnyRequest) => Expected): Expected {
  if (request.isInvalid) return { ...fail(request, 400, ""), body: /\bdetail\b.* is invalid: |<h1>400 / };
  if (request.prefer.length === 0) return usual(request);
  const { delay, code, body } = chooseFaults(request.prefer);
  const isChanged = (delay ?? code ?? body) !== undefined;
  const intact = code
    ? fail(request, Number(code), DETAILS[code]!)
    : usual(isChanged ? { ...request, condition: "none" } : request);
  const isBroken = body !== undefined && intact.type !== "none";
  const isError = intact.status >= 400;
  return (delay ?? code) !== undefined || isBroken
    ? {
        ...(isBroken ? changeBody(intact, body, pathOf(request)) : intact),
        headers: { ...intact.headers, "cache-control": "no-store", etag: undefined },
      }
    : { ...intact, headers: { ...intact.headers, "cache-control": isError ? "no-store" : "no-cache" } };
}

/** The faults that `fail`, which is 0 or 1, lets through. The first value of an option counts. */
function chooseFaults(prefer: Option[]): Partial<Record<"delay" | "code" | "body", string | undefined>> {
  const first = new Map(prefer.toReversed().map((option) => [option.name, option]));
  const [delay, code, body, fail] = (["delay", "code", "body", "fail"] as const).map((name) => {
    const option = first.get(name);
    return option?.isValid ? option.value : undefined;
  });
  if (fail === "0") return { delay };
  return { delay, code: code ?? (fail && !body ? "503" : undefined), body };
}

/** The web page of a response in JSON shows a broken body as text. */
function changeBody(intact: Expected, fault: string, path: string): Expected {
  if (intact.type === "html" && intact.status >= 400) return intact;
  if (intact.type === "html" && path === PATH) return { ...intact, body: /A client cannot read the body/ };
  return fault === "empty"
    ? { ...intact, type: undefined, body: "" }
    : { ...intact, type: "json", body: /^{"count": 1, .*<not json>$/ };
}

/** The status codes that requests ask the mock for, with the detail of each. */
export const DETAILS: Record<string, string> = {
  404: "Not found.",
  409: "Conflict.",
  500: "A server error occurred.",
  503: "Service temporarily unavailable, try again later.",
};
