import { parseAccept } from "hono/utils/accept";
import type { AppContext } from "../bindings.ts";
import { HttpError } from "./errors.ts";
import { getHeader, getLastValue } from "./request.ts";

/**
 * Checks that the client accepts JSON or HTML. With `format=json`, `Accept` does not matter.
 * @throws 404 for an unknown format, 406 if `Accept` allows neither representation
 */
export function requireAcceptable({ req }: AppContext, query: URLSearchParams): void {
  const format = getLastValue(query, "format");
  if (format === "json") return;
  if (!isDefaultFormat(format)) throw new HttpError(404);
  if (findRepresentation(getHeader(req.raw.headers, "Accept")) === undefined) throw new HttpError(406);
}

/** Whether the query parameter `format` leaves the choice to `Accept`. */
export function isDefaultFormat(format: string | null): boolean {
  return format === null || format === "" || format === "api";
}

/** Whether the client prefers HTML to JSON, as browsers do. */
export function prefersHtml({ req }: AppContext): boolean {
  if (findRepresentation(getHeader(req.raw.headers, "Accept")) !== "html") return false;
  return getLastValue(new URL(req.url).searchParams, "format") !== "json";
}

/**
 * Finds the representation with the higher weight in `Accept`. On equal weights the more specific range wins: `text/html` beats
 * `application/*`. A tie is JSON.
 * @param accept The header. A header without a media range allows every type
 * @returns undefined if `Accept` allows neither JSON nor HTML
 */
export function findRepresentation(accept: string | undefined): "json" | "html" | undefined {
  // Most clients that are not browsers send this value.
  if (accept === undefined || accept === "*/*") return "json";
  const ranges = parseAccept(accept.toLowerCase());
  if (ranges.length === 0) return "json";
  const json = matchRange("application/json", ranges);
  const html = matchRange("text/html", ranges);
  if (json.weight === 0 && html.weight === 0) return undefined;
  if (html.weight !== json.weight) return html.weight > json.weight ? "html" : "json";
  return html.specificity > json.specificity ? "html" : "json";
}

/** Finds the most specific range that matches a media type, such as `text/*` for `text/html`. Without a match, the weight is 0. */
function matchRange(mediaType: string, ranges: ReturnType<typeof parseAccept>) {
  const [kind] = mediaType.split("/");
  const patterns = ["*/*", `${kind}/*`, mediaType];
  const types = new Set(ranges.map(({ type }) => type));
  const specificity = patterns.findLastIndex((pattern) => types.has(pattern));
  const matching = ranges.filter(({ type }) => type === patterns[specificity]);
  return { specificity, weight: Math.max(0, ...matching.map(({ q }) => q)) };
}
