import { ERROR_CACHING, PAGE_CACHING } from "../../http/caching.ts";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { METHODS } from "../../records/route.ts";
import type { Header, Reference } from "./types.ts";

/** A header that always has the same value. */
function constant(value: string, description: string): Header {
  return { description, required: true, schema: { type: "string", const: value } };
}

/** The headers of answers, by the name of their component. */
export const headers = {
  Allow: constant(METHODS, "The methods of the collection (specification, List records)."),
  Vary: constant("Accept", "What the answer depends on besides its URL (specification, List records)."),
  ETag: {
    description:
      "Names this content of this page, if it is JSON: send it as `If-None-Match` to be told whether it still holds.",
    required: false,
    schema: { type: "string", pattern: '^"[^"]+"$' },
  },
  PageCaching: {
    description:
      "A page may be kept for seconds, and for an hour if the service fails; one that `Prefer` altered may not.",
    required: true,
    schema: { type: "string", enum: [PAGE_CACHING, ERROR_CACHING] },
  },
  NoStoreIfAltered: {
    description: "There if `Prefer` altered the answer, which is then kept by nobody.",
    required: false,
    schema: { type: "string", const: ERROR_CACHING },
  },
  NoStore: constant(ERROR_CACHING, "An error says nothing of the next request."),
  RetryAfter: {
    description: "Seconds after which to try again.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  RetryAfterIfUseful: {
    description: "Seconds after which to try again, with 429 and 503.",
    required: false,
    schema: { type: "integer", minimum: 1 },
  },
  PreferenceApplied: {
    description: "The preferences of `Prefer` that this answer follows (RFC 7240, 3).",
    required: false,
    schema: { type: "string" },
    example: "code=503",
  },
  MockWarning: {
    description: "Preferences that are malformed or out of range, and so ignored, and why.",
    required: false,
    schema: { type: "string" },
  },
  Location: {
    description: "The path with its slash, and the query, however it was written.",
    required: true,
    schema: { type: "string", pattern: `^${COLLECTION_PATH}(\\?.*)?$` },
    example: `${COLLECTION_PATH}?page=2`,
  },
  AnyOrigin: constant("*", "Scripts of any origin may read the answer."),
  AllHeaders: constant("*", "Scripts of any origin may read its headers."),
  NoSniff: constant("nosniff", "The content is what its type says."),
  AllowedMethods: constant("GET, OPTIONS", "What a script may send."),
  AllowedHeaders: constant("*", "It may have any header."),
  PreflightAge: {
    description: "Seconds for which a browser need not ask again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
} satisfies Record<string, Header>;

const refer = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` });

/** The headers that every answer of the collection has. */
const ALWAYS = {
  Allow: refer("Allow"),
  Vary: refer("Vary"),
  "Access-Control-Allow-Origin": refer("AnyOrigin"),
  "Access-Control-Expose-Headers": refer("AllHeaders"),
  "X-Content-Type-Options": refer("NoSniff"),
};

/** The headers of answers that `Prefer` can alter. */
const ALTERED = {
  ...ALWAYS,
  "Preference-Applied": refer("PreferenceApplied"),
  "Mock-Warning": refer("MockWarning"),
};

/** The headers of each kind of answer, by their names in HTTP. */
export const answerHeaders = {
  description: { ...ALTERED, "Cache-Control": refer("NoStoreIfAltered") },
  page: { ...ALTERED, ETag: refer("ETag"), "Cache-Control": refer("PageCaching") },
  error: { ...ALTERED, "Cache-Control": refer("NoStore") },
  unavailable: { ...ALTERED, "Cache-Control": refer("NoStore"), "Retry-After": refer("RetryAfter") },
  askedFor: { ...ALTERED, "Cache-Control": refer("NoStore"), "Retry-After": refer("RetryAfterIfUseful") },
  redirect: { ...ALTERED, "Cache-Control": refer("NoStoreIfAltered"), Location: refer("Location") },
  preflight: {
    ...ALWAYS,
    "Access-Control-Allow-Methods": refer("AllowedMethods"),
    "Access-Control-Allow-Headers": refer("AllowedHeaders"),
    "Access-Control-Max-Age": refer("PreflightAge"),
  },
} satisfies Record<string, Record<string, Reference>>;
