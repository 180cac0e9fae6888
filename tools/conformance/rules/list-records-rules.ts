import { COLLECTION_PATH } from "../../../src/records/envelope.ts";
import { PAGE_SIZE } from "../../../src/records/page.ts";
import type { PageEvent, ResponseEvent } from "../events.ts";
import { describeValue } from "../response-body.ts";
import type { Finding, Rule } from "../rule.ts";

/** Statuses that reject the method (RFC 9110, 15.5.6 and 15.6.2). */
const METHOD_REJECTED = new Set([405, 501]);

/** The section "Endpoints", "List records". */
export const LIST_RECORDS_RULES: Rule[] = [
  {
    reference: "List records.method",
    also: ["List records.request body"],
    sentence: "GET, without a request body",
    page: ({ status }) => !METHOD_REJECTED.has(status) || `GET returned ${status}`,
  },
  {
    reference: "List records.path",
    also: ["Service 1", "Versioning 1"],
    sentence: `The path is ${COLLECTION_PATH}`,
    page({ finalUrl }) {
      const { pathname } = new URL(finalUrl);
      return pathname.endsWith(COLLECTION_PATH) || `the path is ${describeValue(pathname)}`;
    },
  },
  {
    reference: "List records.page",
    sentence: "page: a positive integer, the 1-based page number",
    page: ({ duplicateOf, status }) =>
      duplicateOf === undefined ? status === 200 || undefined : `has the same records as page ${duplicateOf}`,
  },
  {
    reference: "List records.page default",
    sentence: "Without page, the response is page 1, the newest page",
    defaultPage: ({ difference }) => difference ?? true,
  },
  {
    reference: "List records.status",
    sentence: "The success status is 200",
    page({ status, headers }) {
      if (METHOD_REJECTED.has(status)) return undefined;
      return status === 200 || describeStatus(status, headers);
    },
  },
  {
    reference: "List records.Allow",
    also: ["Service 3", "Endpoints.methods"],
    sentence: "Allow: GET, OPTIONS; no other method is advertised",
    page: (page) => checkPageHeader(page, "Allow", isAllow),
    options: ({ headers }) => (headers.has("Allow") ? checkHeader(headers, "Allow", isAllow) : undefined),
    pageZero: checkAllowedMethods,
    write: checkAllowedMethods,
  },
  {
    reference: "List records.Content-Type",
    sentence: "Content-Type: application/json",
    page: (page) =>
      checkPageHeader(page, "Content-Type", (value) => value?.toLowerCase() === "application/json"),
  },
  {
    reference: "List records.Vary",
    sentence: "Vary: Accept",
    page: (page) => checkPageHeader(page, "Vary", (value) => isSameList(value, "Accept")),
  },
  {
    reference: "List records.body",
    also: ["List records.format"],
    sentence: "With format=api the body is a page envelope, in JSON",
    page({ status, bodyError, envelope }) {
      if (status !== 200) return undefined;
      return bodyError ?? (envelope !== undefined || "the body is not a JSON object");
    },
  },
  {
    reference: "List records 1",
    also: ["Limits.page"],
    sentence: `A page holds ${PAGE_SIZE} records; the last one may hold fewer`,
    page({ envelope, isLast }) {
      const results = envelope?.results;
      if (!Array.isArray(results)) return undefined;
      const isValid = isLast ? results.length <= PAGE_SIZE : results.length === PAGE_SIZE;
      return isValid || `holds ${results.length} records`;
    },
  },
  {
    reference: "List records 2",
    sentence: "Newest first by timestamp: a higher page number holds older records",
    record({ fields: { timestamp }, previousTimestamp: previous }) {
      if (previous === undefined) return undefined;
      return (
        String(timestamp) <= previous ||
        `has the timestamp ${timestamp}, but the record before it has ${previous}`
      );
    },
  },
  {
    reference: "List records 3",
    sentence: "Ids may come out of order among records with the same timestamp",
    record: ({ idsUnordered }) => idsUnordered || undefined,
  },
  {
    reference: "List records 4",
    sentence: "camera_ok is null in older periods and True or False in recent ones: every null is older",
    record({ fields, cameraOkPeriods }) {
      if (cameraOkPeriods === undefined) return undefined;
      const { newestNull, oldestKnown } = cameraOkPeriods;
      // The periods may meet at one timestamp. The order of the list then shows which records are older.
      const isAfterKnown = fields.camera_ok === null && newestNull === oldestKnown;
      return (
        newestNull < oldestKnown ||
        isAfterKnown ||
        `camera_ok is null at ${newestNull}, but True or False at ${oldestKnown}`
      );
    },
  },
  {
    reference: "List records 5",
    sentence: "count is identical on all pages of one state of the collection",
    count: ({ error }) => error ?? true,
  },
];

function describeStatus(status: number, headers: Headers): string {
  const location = headers.get("Location");
  return `returned ${status}${location === null ? "" : ` with Location ${describeValue(location)}`}`;
}

function checkPageHeader(page: PageEvent, name: string, isValid: (value: string | null) => boolean): Finding {
  return page.status === 200 ? checkHeader(page.headers, name, isValid) : undefined;
}

function checkHeader(headers: Headers, name: string, isValid: (value: string | null) => boolean): Finding {
  const value = headers.get(name);
  return isValid(value) || (value === null ? `${name} is missing` : `${name} is ${describeValue(value)}`);
}

/** Compares the lists of two header values, without regard to case or order (RFC 9110, 5.6.1). */
function isSameList(value: string | null, expected: string): boolean {
  return String(parseList(value).sort()) === String(parseList(expected).sort());
}

function parseList(value: string | null): string[] {
  const elements = (value ?? "").split(",").map((element) => element.trim().toLowerCase());
  return elements.filter((element) => element !== "");
}

function isAllow(value: string | null): boolean {
  return isSameList(value, "GET, OPTIONS");
}

function checkAllowedMethods({ headers }: ResponseEvent): Finding {
  const allow = headers.get("Allow");
  if (allow === null) return undefined;
  const isKnown = parseList(allow).every((method) => method === "get" || method === "options");
  return isKnown || `Allow is ${describeValue(allow)}`;
}
