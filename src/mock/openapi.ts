import { ERROR_CACHING } from "../http/headers.ts";
import { createHeaderReference, describeErrorBody, ERROR_HEADERS } from "../http/openapi/components.ts";
import type { Header, MockDescription } from "../http/openapi/types.ts";
import { OPTION_DOCS } from "./options.ts";

/** The headers that the mock adds to responses, by the names of their components. */
const headers = {
  NoStoreIfAltered: {
    description: "Present if the mock changed the response, which must then not be stored.",
    required: false,
    schema: { type: "string", const: ERROR_CACHING },
  },
  RetryAfterIfUseful: {
    description: "Seconds after which to try again, with 429 and 503.",
    required: false,
    schema: { type: "integer", minimum: 1 },
  },
  PreferenceApplied: {
    description: "The preferences of `Prefer` that the service applied to this response (RFC 7240, 3).",
    required: false,
    schema: { type: "string" },
    example: "code=503",
  },
  MockWarning: {
    description: "The preferences that are ignored because they are malformed or out of range, and why.",
    required: false,
    schema: { type: "string" },
  },
} satisfies Record<string, Header>;

const refer = createHeaderReference(headers);

/** Describes what a request can ask the mock for, and the responses that only the mock sends. */
export function describeMock(): MockDescription {
  return {
    parameters: [
      {
        name: "prefer",
        in: "query",
        allowEmptyValue: true,
        description: `Makes the response fail, for clients that cannot send the header \`Prefer\`. The links keep the parameter. ${describeOptions()}`,
        schema: { type: "string" },
      },
      {
        name: "Prefer",
        in: "header",
        description:
          "Makes the response fail, to test a client (RFC 7240). It has the same options as the query parameter `prefer`, and takes precedence.",
        schema: { type: "string" },
      },
    ],
    responseHeaders: {
      "Preference-Applied": refer("PreferenceApplied"),
      "Mock-Warning": refer("MockWarning"),
    },
    cacheHeaders: { "Cache-Control": refer("NoStoreIfAltered") },
    otherResponse: (common) => ({
      description: "Any other status from 400 to 599, if `Prefer` asks for it.",
      headers: { ...common, ...ERROR_HEADERS, "Retry-After": refer("RetryAfterIfUseful") },
      content: describeErrorBody(),
    }),
    headers,
  };
}

/** The options as a list in Markdown. */
function describeOptions(): string {
  const lines = OPTION_DOCS.map(
    ({ example, description, value }) => `- \`${example}\`: ${description} (${value}).`,
  );
  return `The options can be combined:\n\n${lines.join("\n")}`;
}
