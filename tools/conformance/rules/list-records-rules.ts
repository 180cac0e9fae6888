import { COLLECTION_PATH, PAGE_SIZE } from "../../../src/records/page.ts";
import type { PageEvent, ResponseEvent } from "../events.ts";
import { describeValue, isObject, isTimestamp } from "../response-body.ts";
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
    pageZero: ({ hasNewRecords }) =>
      hasNewRecords
        ? "is a page with records that are on no other page, so page 1 is not the first"
        : undefined,
  },
  {
    reference: "List records.page default",
    sentence: "Without page, the response is page 1, the newest page",
    defaultPage: ({ difference }) =>
      difference === undefined ? true : { broken: difference, unless: ["List records.page"] },
  },
  {
    reference: "List records.status",
    sentence: "The success status is 200",
    page({ status, headers, failure }) {
      if (METHOD_REJECTED.has(status)) return undefined;
      if (status === 200) return true;
      return failure?.message ?? describeStatus(status, headers);
    },
  },
  {
    reference: "List records.Allow",
    also: ["Service 3", "Endpoints.methods"],
    sentence: "Allow: GET, OPTIONS; no other method is advertised",
    page: (page) => checkPageHeader(page, "Allow", isAllow),
    // "Options.method" reports a missing header.
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
    page({ status, headers, bodyError, envelope }) {
      if (status !== 200) return undefined;
      const error = bodyError ?? (envelope === undefined ? "the body is not a JSON object" : undefined);
      if (error === undefined) return checkEncoding(headers);
      return isJson(headers) ? error : { broken: error, unless: ["List records.Content-Type"] };
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
    newest: ({ results }) => findDisorder(results),
  },
  {
    reference: "List records 3",
    sentence: "Ids may come out of order among records with the same timestamp",
    record: ({ idsUnordered }) => idsUnordered || undefined,
  },
  {
    reference: "List records 4",
    sentence: "camera_ok is null in older periods and True or False in recent ones: every null is older",
    record({ cameraOkPeriods }) {
      if (cameraOkPeriods === undefined) return undefined;
      const { newestNull, oldestKnown } = cameraOkPeriods;
      // The periods may meet within one second, in any order (List records 3).
      if (newestNull <= oldestKnown) return true;
      const broken = `camera_ok is null at ${newestNull}, but True or False at ${oldestKnown}`;
      return { broken, unless: ["List records 2"] };
    },
  },
  {
    reference: "List records 5",
    sentence: "count is identical on all pages of one state of the collection",
    count: ({ error }) => error ?? true,
  },
];

function isJson(headers: Headers): boolean {
  return headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** The encodings that the client decodes (RFC 9110, 8.4.1, and RFC 9659). It leaves a body with any other as it is. */
const ENCODINGS = new Set(["identity", "gzip", "x-gzip", "deflate", "br", "zstd"]);

function checkEncoding(headers: Headers): Finding {
  const encodings = parseList(headers.get("Content-Encoding"));
  const unknown = encodings.find((encoding) => !ENCODINGS.has(encoding));
  return unknown === undefined || `Content-Encoding is ${describeValue(unknown)}, but the body is plain JSON`;
}

/** Checks the order of the records of one page. */
function findDisorder(results: unknown[]): Finding {
  let previous: string | undefined;
  for (const record of results) {
    const timestamp = isObject(record) ? record.timestamp : undefined;
    if (!isTimestamp(timestamp)) continue;
    if (previous !== undefined && timestamp > previous)
      return `after the walk, a record has the timestamp ${timestamp}, but the record before it has ${previous}`;
    previous = timestamp;
  }
  return previous === undefined ? undefined : true;
}

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

/** Compares the lists of two header values, without regard to case, order or repetition (RFC 9110, 5.6.1). */
function isSameList(value: string | null, expected: string): boolean {
  return String(toSortedSet(value)) === String(toSortedSet(expected));
}

function toSortedSet(value: string | null): string[] {
  return [...new Set(parseList(value))].sort();
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
