import { showValue } from "../json.ts";
import type { SeenAnswer, SeenFailures } from "../observation.ts";
import { type Finding, notShown, type Rule } from "../rule.ts";
import { times } from "../wording.ts";

const VERSIONING = ["API-Version", "X-API-Version", "Deprecation", "Sunset"];

/** From "Options" to the end. */
export const ELSEWHERE: Rule[] = [
  {
    place: "Options.method",
    also: ["Options.path", "Options.Allow"],
    sentence: "OPTIONS is allowed",
    options: ({ status }) => (status >= 200 && status < 300) || `is answered ${status}`,
  },
  notShown("Options.body", "The response body of OPTIONS", { options: describeAnswer }),
  notShown("Endpoints.others", "Other endpoints, filters, sort parameters, retrieval of a single record"),
  notShown("Authentication", "Authentication", {
    page: ({ number, status }) =>
      number === 1 && status === 200 ? "pages are answered without credentials" : undefined,
  }),
  notShown("Events", "Events"),
  notShown("Errors", "Error statuses, bodies and codes", {
    failures: describeFailures,
    error: describeAnswer,
    write: describeAnswer,
  }),
  notShown("Limits.others", "Rate limits, a maximum page size, a parameter for it, a maximum page number", {
    requests: ({ throttled }) => (throttled > 0 ? `429 was answered ${times(throttled)}` : undefined),
  }),
  notShown("Versioning 2", "A versioning policy, version header or deprecation rule", {
    page({ number, headers }) {
      const sent = number === 1 ? VERSIONING.filter((name) => headers.has(name)) : [];
      return sent.length === 0
        ? undefined
        : sent.map((name) => `${name} is ${showValue(headers.get(name))}`).join(", ");
    },
  }),
];

/** What passed when it was asked again is no page that broke a rule, but a reader wants to know. */
function describeFailures({ statuses }: SeenFailures): Finding {
  const told = [...statuses].map(([status, number]) => `${status} ${times(number)}`);
  return told.length === 0 ? undefined : `pages: ${told.join(", ")}, and asked for again`;
}

function describeAnswer({ name, status, body }: SeenAnswer): string {
  return `${name}: ${status} ${showValue(body)}`;
}
