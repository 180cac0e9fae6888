import { ERROR_CACHING } from "../http/headers.ts";
import { createHeaderReference, describeErrorBody, ERROR_HEADERS } from "../http/openapi/components.ts";
import type { Header, MockDescription } from "../http/openapi/types.ts";
import { MOCK_OPTIONS } from "./options.ts";

/** The headers that the mock adds to responses, by the names of their components. */
const headers = {
  NoStoreIfAltered: {
    description: "Present if the request has a preference: `no-store` if the mock changed the response.",
    required: false,
    schema: { type: "string", enum: [ERROR_CACHING, "no-cache"] },
  },
  RetryAfterIfUseful: {
    description: "When to try again, with 429 and 503: after so many seconds, or at an HTTP date.",
    required: false,
    schema: { type: "string" },
  },
  RateLimit: {
    description: "With 429: what is left of the quota (r), and the seconds until there is more (t).",
    required: false,
    schema: { type: "string" },
    example: '"default";r=0;t=2',
  },
  RateLimitPolicy: {
    description: "With 429: the quota (q) of a window of so many seconds (w).",
    required: false,
    schema: { type: "string" },
    example: '"default";q=100;w=10',
  },
  PreferenceApplied: {
    description: "The preferences of `Prefer` that the service applied to this response (RFC 7240, 3).",
    required: false,
    schema: { type: "string" },
    example: "code=503",
  },
  MockWarning: {
    description:
      "The preferences that are ignored because they are unknown, malformed or out of range, and why.",
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
      headers: {
        ...common,
        ...ERROR_HEADERS,
        "Retry-After": refer("RetryAfterIfUseful"),
        RateLimit: refer("RateLimit"),
        "RateLimit-Policy": refer("RateLimitPolicy"),
      },
      content: describeErrorBody(),
    }),
    headers,
  };
}

/** The options as a list in Markdown. */
function describeOptions(): string {
  const lines = Object.values(MOCK_OPTIONS).map(
    ({ example, description, value }) => `- \`${example}\`: ${description} (${value}).`,
  );
  return `The options can be combined:\n\n${lines.join("\n")}`;
}
