import { COLLECTION_PATH } from "../../../src/records/envelope.ts";
import { PAGE_SIZE } from "../../../src/records/page.ts";
import { showValue } from "../json.ts";
import type { SeenAnswer, SeenPage } from "../observation.ts";
import type { Finding, Rule } from "../rule.ts";

/** Statuses that are about the method (RFC 9110, 15.5.6 and 15.6.2). */
const NO_METHOD = new Set([405, 501]);

/** "Endpoints", "List records". */
export const LIST_RECORDS: Rule[] = [
  {
    place: "List records.method",
    also: ["List records.request body"],
    sentence: "GET, without a request body",
    page: ({ status }) => !NO_METHOD.has(status) || `GET is answered ${status}`,
  },
  {
    place: "List records.path",
    also: ["Service 1", "Versioning 1"],
    sentence: `The path is ${COLLECTION_PATH}`,
    page({ answeredBy }) {
      const { pathname } = new URL(answeredBy);
      return pathname.endsWith(COLLECTION_PATH) || `it leads to ${showValue(pathname)}`;
    },
  },
  {
    place: "List records.page",
    sentence: "page: a positive integer, the 1-based page number",
    page: ({ copies, status }) =>
      copies === undefined ? status === 200 || undefined : `has the records of page ${copies}`,
  },
  {
    place: "List records.page default",
    sentence: "Without page, page 1, the newest page, is assumed",
    default: ({ difference }) => difference ?? true,
  },
  {
    place: "List records.status",
    sentence: "The success status is 200",
    page({ status, headers }) {
      if (NO_METHOD.has(status)) return undefined;
      return status === 200 || describeStatus(status, headers);
    },
  },
  {
    place: "List records.Allow",
    also: ["Service 3", "Endpoints.methods"],
    sentence: "Allow: GET, OPTIONS; no other method is advertised",
    page: (page) => onSuccess(page, "Allow", isAllow),
    options: ({ headers }) => (headers.has("Allow") ? judgeHeader(headers, "Allow", isAllow) : undefined),
    error: advertisesNoOther,
    write: advertisesNoOther,
  },
  {
    place: "List records.Content-Type",
    sentence: "Content-Type: application/json",
    page: (page) => onSuccess(page, "Content-Type", (value) => value?.toLowerCase() === "application/json"),
  },
  {
    place: "List records.Vary",
    sentence: "Vary: Accept",
    page: (page) => onSuccess(page, "Vary", (value) => isSameList(value, "Accept")),
  },
  {
    place: "List records.body",
    also: ["List records.format"],
    sentence: "With format=api the body is a page envelope, in JSON",
    page({ status, flaw, fields }) {
      if (status !== 200) return undefined;
      return flaw ?? (fields !== undefined || "the body is not a JSON object");
    },
  },
  {
    place: "List records 1",
    also: ["Limits.page"],
    sentence: `A page holds ${PAGE_SIZE} records; the last one may hold fewer`,
    page({ fields, isLast }) {
      const results = fields?.results;
      if (!Array.isArray(results)) return undefined;
      const isRight = isLast ? results.length <= PAGE_SIZE : results.length === PAGE_SIZE;
      return isRight || `holds ${results.length} records`;
    },
  },
  {
    place: "List records 2",
    sentence: "Newest first by timestamp: a higher page number holds older records",
    record({ fields: { timestamp }, before }) {
      if (before === undefined) return undefined;
      return String(timestamp) <= before || `is of ${timestamp}, the record before of ${before}`;
    },
  },
  {
    place: "List records 3",
    sentence: "Ids may come out of order among records with the same timestamp",
    record: ({ idsTurned }) => idsTurned || undefined,
  },
  {
    place: "List records 4",
    sentence: "In older periods camera_ok is null, in recent ones True or False: each null is older",
    record({ fields, health }) {
      if (health === undefined) return undefined;
      const { newestNull, oldestKnown } = health;
      // The periods may meet within a moment, where the order of the list decides.
      const isBehind = fields.camera_ok === null && newestNull === oldestKnown;
      return (
        newestNull < oldestKnown || isBehind || `null at ${newestNull}, but True or False at ${oldestKnown}`
      );
    },
  },
  {
    place: "List records 5",
    sentence: "count is identical on all pages of one state of the collection",
    count: ({ flaw }) => flaw ?? true,
  },
];

function describeStatus(status: number, headers: Headers): string {
  const location = headers.get("Location");
  return `is answered ${status}${location === null ? "" : `, Location ${showValue(location)}`}`;
}

function onSuccess(page: SeenPage, name: string, is: (value: string | null) => boolean): Finding {
  return page.status === 200 ? judgeHeader(page.headers, name, is) : undefined;
}

function judgeHeader(headers: Headers, name: string, is: (value: string | null) => boolean): Finding {
  const value = headers.get(name);
  return is(value) || (value === null ? `${name} is missing` : `${name} is ${showValue(value)}`);
}

/** Lists of a header, without regard to case or order (RFC 9110, 5.6.1). */
function isSameList(value: string | null, expected: string): boolean {
  return String(readList(value).sort()) === String(readList(expected).sort());
}

function readList(value: string | null): string[] {
  const elements = (value ?? "").split(",").map((element) => element.trim().toLowerCase());
  return elements.filter((element) => element !== "");
}

function isAllow(value: string | null): boolean {
  return isSameList(value, "GET, OPTIONS");
}

function advertisesNoOther({ headers }: SeenAnswer): Finding {
  const allow = headers.get("Allow");
  if (allow === null) return undefined;
  const isKnown = readList(allow).every((method) => method === "get" || method === "options");
  return isKnown || `Allow is ${showValue(allow)}`;
}
