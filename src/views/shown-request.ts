import type { ContextVariableMap } from "hono";
import type { AppContext } from "../bindings.ts";
import { quoteForShell } from "../escape.ts";
import { COLLECTION_PATH, setParameter } from "../http/links.ts";
import { isDefaultFormat } from "../http/negotiation.ts";
import { getOrigin } from "../http/origin.ts";
import { getHeader, getLastValue, type PageRequest, parsePageRequest } from "../http/request.ts";

/** A request, its response, and what the service notes about them, as the HTML view shows them. */
export interface ClientResponse
  extends ReturnType<typeof describeRequest>,
    Pick<ContextVariableMap, "served" | "error" | "applied"> {
  status: number;
  headers: Headers;
  /** Whether faults changed the response, and not only its time. */
  isFault: boolean;
  /** What a client receives of the body. */
  received: string;
}

/** Describes a request as its page repeats it in links, forms and a command. */
export function describeRequest(c: AppContext) {
  const request = parsePageRequest(c);
  /** With the public origin of the service. */
  const url = createShownUrl(request, c.env.PUBLIC_ORIGIN);
  /** Undefined if it is empty or too long to repeat. */
  const preferHeader = getHeader(c.req.raw.headers, "Prefer");
  const hasDefaultFormat = isDefaultFormat(getLastValue(request.query, "format"));
  const canRepeat = request.method === "GET" && preferHeader === undefined;
  return {
    preferHeader,
    url,
    curlOptions: formatCurlOptions(request.method, preferHeader),
    /** Whether a link to `url` sends the request again. */
    canRepeat,
    /** Undefined if no link can send the request for JSON. */
    jsonUrl: canRepeat && hasDefaultFormat ? setParameter(url, "format", "json") : undefined,
    /** How many parameters are not in `url`, because they are too many or too long. */
    leftOut: request.query.size - url.searchParams.size,
    /** Undefined if no collection can have the requested page. */
    requestedPage: request.page,
    areFaultsOff: c.env.FAULTS === "off",
    urlWithoutFaults: findUrlWithoutFaults(c, url),
  };
}

function formatCurlOptions(method: string, preferHeader: string | undefined): string {
  const options = method === "GET" ? "-si" : `-si -X ${method}`;
  return preferHeader === undefined ? options : `${options} -H ${quoteForShell(`Prefer: ${preferHeader}`)}`;
}

/** A page repeats the query of its request about fourteen times. So of a longer query, it keeps only short parameters that the service reads. */
const MAX_PARAMETERS = 50;
const MAX_CHARACTERS = 1_000;

const READ_PARAMETERS = ["date", "format", "page", "prefer", "run"];

function createShownUrl({ url, query }: PageRequest, publicOrigin: string | undefined): URL {
  const shown = new URL(getOrigin(url, publicOrigin) + url.pathname + url.search);
  if (query.size <= MAX_PARAMETERS && url.search.length <= MAX_CHARACTERS) return shown;
  const isKept = ([name, value]: [string, string]) =>
    READ_PARAMETERS.includes(name) && value.length < MAX_CHARACTERS / READ_PARAMETERS.length;
  const kept = [...query].filter(isKept).slice(-READ_PARAMETERS.length);
  shown.search = new URLSearchParams(kept).toString();
  return shown;
}

/** Undefined on other paths, with FAULTS off, and if the options of the query, or else of PREFER, are none or only `none`. */
function findUrlWithoutFaults({ env }: AppContext, url: URL): string | undefined {
  if (url.pathname !== COLLECTION_PATH || env.FAULTS === "off") return undefined;
  const asked = url.searchParams.getAll("prefer").join();
  if ((asked || env.PREFER) === "none") return undefined;
  if (env.PREFER) return setParameter(url, "prefer", "none");
  if (asked === "") return undefined;
  const changed = new URL(url);
  changed.searchParams.delete("prefer");
  return changed.href;
}
