import { parseAccept } from "hono/utils/accept";
import { notAcceptable, notFound } from "./errors.ts";

export type Representation = "json" | "html";

const MEDIA_TYPES: Record<Representation, string> = { json: "application/json", html: "text/html" };

/**
 * Chooses the representation of an answer.
 * @param format the query parameter: `json` decides; absent, empty or `api` leaves it to Accept
 * @param accept the Accept header; absent, empty or without any media range means that anything will do
 * @returns `html` only where Accept prefers it: at equal weight JSON (RFC 9110, 12.5.1)
 * @throws 404 for any other format, 406 if Accept allows neither
 */
export function negotiate(format: string | null, accept: string | undefined): Representation {
  if (format === "json") return "json";
  if (format !== null && format !== "" && format !== "api") throw notFound();
  const ranges = parseAccept(accept ?? "");
  if (ranges.length === 0) return "json";
  const preferred = prefer(ranges);
  if (preferred === undefined) throw notAcceptable();
  return preferred;
}

/**
 * Chooses the representation of an error, which is answered whatever the request accepts: `html` where a person
 * reads it in a browser.
 * @param format the query parameter: `json` decides
 * @param accept the Accept header; where it allows neither JSON nor HTML, the other type of web pages, XHTML, tells a
 *   browser
 */
export function negotiateError(format: string | null, accept: string | undefined): Representation {
  if (format === "json") return "json";
  const ranges = parseAccept(accept ?? "");
  return prefer(ranges) ?? (weigh("application/xhtml+xml", ranges) > 0 ? "html" : "json");
}

type Ranges = ReturnType<typeof parseAccept>;

/** The representation that weighs more, JSON if both weigh the same; undefined if neither is allowed. */
function prefer(ranges: Ranges): Representation | undefined {
  const json = weigh(MEDIA_TYPES.json, ranges);
  const html = weigh(MEDIA_TYPES.html, ranges);
  if (json === 0 && html === 0) return undefined;
  return html > json ? "html" : "json";
}

/** The weight of a media type: that of the most specific range that matches it, 0 if none does. */
function weigh(mediaType: string, ranges: Ranges): number {
  const [kind] = mediaType.split("/");
  for (const range of [mediaType, `${kind}/*`, "*/*"]) {
    const weights = ranges.filter(({ type }) => type.toLowerCase() === range).map(({ q }) => q);
    if (weights.length > 0) return Math.max(...weights);
  }
  return 0;
}
