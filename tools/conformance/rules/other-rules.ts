import { formatCount } from "../../../data/formatting.ts";
import type { ErrorsEvent, ResponseEvent } from "../events.ts";
import { describeValue } from "../response-body.ts";
import { createNotShownRule, type Finding, type Rule } from "../rule.ts";

const VERSION_HEADERS = ["API-Version", "X-API-Version", "Deprecation", "Sunset"];

/** The sections from "Options" to the end. */
export const OTHER_RULES: Rule[] = [
  {
    reference: "Options.method",
    also: ["Options.path", "Options.Allow"],
    sentence: "OPTIONS is allowed, as the header Allow says",
    options({ status, headers, failure }) {
      if (failure !== undefined) return failure;
      if (status < 200 || status >= 300) return `returned ${status}`;
      return headers.has("Allow") || "Allow is missing";
    },
  },
  createNotShownRule("Options.body", "The response body of OPTIONS", { options: describeResponse }),
  createNotShownRule(
    "Endpoints.others",
    "Other endpoints, filters, sort parameters, retrieval of a single record",
  ),
  createNotShownRule("Authentication", "Authentication", {
    page: ({ number, status }) =>
      number === 1 && status === 200 ? "pages are served without credentials" : undefined,
  }),
  createNotShownRule("Events", "Events"),
  createNotShownRule("Errors", "Error statuses, bodies and codes", {
    errors: describeErrors,
    pageZero: describeResponse,
    write: describeResponse,
  }),
  createNotShownRule(
    "Limits.others",
    "Rate limits, a maximum page size, a parameter for it, a maximum page number",
    {
      requests: ({ throttled }) =>
        throttled > 0 ? `429 was returned ${formatCount(throttled, "time")}` : undefined,
    },
  ),
  createNotShownRule("Versioning 2", "A versioning policy, version header or deprecation rule", {
    page({ number, headers }) {
      const sent = number === 1 ? VERSION_HEADERS.filter((name) => headers.has(name)) : [];
      return sent.length === 0
        ? undefined
        : sent.map((name) => `${name} is ${describeValue(headers.get(name))}`).join(", ");
    },
  }),
];

/** Retried requests break no rule, but the reader of the report should know about them. */
function describeErrors({ statuses }: ErrorsEvent): Finding {
  const counts = [...statuses].map(([status, count]) => `${status} (${formatCount(count, "time")})`);
  return counts.length === 0 ? undefined : `page requests returned ${counts.join(", ")} and were retried`;
}

function describeResponse({ subject, status, body, failure }: ResponseEvent): string {
  if (failure !== undefined) return `${subject} ${failure}`;
  return `${subject} returned ${status} with the body ${describeValue(body)}`;
}
