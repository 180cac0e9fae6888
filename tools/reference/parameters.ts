import { DESCRIPTIONS, OPTIONS } from "../../src/faults/option-table.ts";
import { MAX_PAGE } from "../../src/records/page.ts";
import type { Parameter } from "./openapi-types.ts";

/** The parameters of all operations. */
export const SHARED_PARAMETERS: Parameter[] = [
  {
    name: "format",
    in: "query",
    description:
      "`json` always returns JSON. With `api`, or if the parameter is absent or empty, `Accept` must allow JSON or HTML. " +
      "If it prefers `text/html`, pages and errors are HTML. The links keep the parameter.",
    schema: { type: "string", enum: ["api", "json"], default: "api" },
  },
  {
    name: "prefer",
    in: "query",
    description:
      "Makes the response fail, to test a client. Commas separate its options, such as `code=503`.\n\n" +
      "The links keep the parameter. A deployment can turn faults off.",
    schema: { type: "string" },
    examples: createFaultExamples(),
  },
  {
    name: "Prefer",
    in: "header",
    description:
      "Accepts the same options as the query parameter `prefer`, and replaces it if it has a valid option. " +
      "Unknown, invalid and repeated options are ignored with a warning (RFC 7240).\n\n" +
      "Caches do not vary on this header, so a cache may return a stored page, or a page up to an hour old in place of a 5xx. " +
      "To avoid that, use the query parameter or the cache mode `no-store`.",
    schema: { type: "string" },
  },
  {
    name: "run",
    in: "query",
    description: "Any text, such as the name of a test: `times` counts requests with another value apart.",
    schema: { type: "string" },
  },
];

/** The parameters of a request for a page. */
export const PAGE_PARAMETERS: Parameter[] = [
  {
    name: "page",
    in: "query",
    description:
      "The number of the page: 1 is the newest, and `last` is the oldest. Absent or empty means 1. " +
      "If the parameter is repeated, the last value counts.",
    schema: {
      anyOf: [
        { type: "integer", minimum: 1, maximum: MAX_PAGE },
        { type: "string", const: "last" },
      ],
      default: 1,
    },
    examples: { newest: { summary: "The newest records.", value: 1 } },
  },
  ...SHARED_PARAMETERS,
  {
    name: "If-None-Match",
    in: "header",
    description:
      "The entity-tags of the client's copies, or `*`. If they include the page's `ETag`, the response is 304.",
    schema: { type: "string" },
  },
];

/** With `none` first, because importers of the document send the first example. */
function createFaultExamples(): NonNullable<Parameter["examples"]> {
  const { none } = OPTIONS;
  const described = Object.values({ none, ...DESCRIPTIONS }).flatMap(({ examples, expected }) =>
    Object.entries(examples).map(([value, text]) => [value, { summary: `${text} (${expected}).`, value }]),
  );
  return Object.fromEntries(described);
}
