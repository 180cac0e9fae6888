import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { Page, TrafficRecord } from "../../src/records/schema.ts";
import type { Answer } from "../command-line/client.ts";
import { show, type Table } from "./rules.ts";

const FIELDS = TrafficRecord.keyof().options;
const Value = z.unknown().optional();
const Envelope = z.object({ count: Value, next: Value, previous: Value, results: Value });
// Only the members that rules name, because two responses with the same record may differ in others.
const ForeignRecord = z.object(Object.fromEntries([...FIELDS, "state"].map((name) => [name, Value])));
export type ForeignRecord = z.infer<typeof ForeignRecord>;

/** A service may have names of cameras that this project does not load. */
const ServedRecord = z.object({ ...TrafficRecord.shape, camera_ref: z.string().regex(/\S/) });
/** JSON with a byte order mark is invalid (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses the answer to a request for a page. Invalid parts of the envelope are undefined. */
export function parsePage(number: number, url: string, answer: Answer) {
  const envelope = parseEnvelope(answer.body);
  const count = Page.shape.count.safeParse(envelope?.count).data;
  const results = z.array(ForeignRecord).safeParse(envelope?.results).data;
  return { ...answer, number, url, envelope, count, results };
}
export type CollectionPage = ReturnType<typeof parsePage>;

/** Compares pages without the order of their records: it is open for equal timestamps, and `List records 2` checks the rest. */
export function isSamePage(one: CollectionPage, other: CollectionPage): boolean {
  const areSame = one.status === other.status && one.count === other.count;
  return areSame && isDeepStrictEqual(new Set(one.results), new Set(other.results));
}

function parseEnvelope(body: Uint8Array): z.infer<typeof Envelope> | undefined {
  try {
    return Envelope.safeParse(JSON.parse(UTF8.decode(body))).data;
  } catch {
    return undefined;
  }
}

/** Checks the headers of any response. Those of a page have more rules. */
export function checkHeaders(table: Table, collection: string, request: Request, response: Response): void {
  const { method, url } = request;
  const { status, headers } = response;
  const check = table.at(method === "GET" ? url : `${method} ${url}`);
  const allow = headers.get("Allow");
  const methods = parseList(allow);
  const isPage = method === "GET" && status === 200 && url.startsWith(collection);
  const isDescription = method === "OPTIONS" && allow !== null;
  const isComplete = methods.length === 2 || !(isPage || isDescription);
  const isKnown = methods.every((name) => ["get", "options"].includes(name));
  check("List records.Allow", isComplete && isKnown, show(allow));
  if (!isPage) return;
  const type = headers.get("Content-Type");
  const vary = headers.get("Vary");
  check("List records.Content-Type", type?.toLowerCase() === "application/json", show(type));
  check("List records.Vary", parseList(vary).includes("accept"), show(vary));
}

/** Checks what is true of every successful page, also of one with an unusual number. */
export function checkContents(table: Table, page: CollectionPage): void {
  const { url, status, body, envelope, count, results } = page;
  if (status !== 200) return;
  const check = table.at(url);
  const start = Buffer.from(body.subarray(0, 200)).toString();
  check("List records.Response body", envelope !== undefined, show(start));
  if (envelope === undefined) return;
  check("Page envelope.results", results !== undefined, () => show(envelope.results));
  check("Page envelope.count", count !== undefined, show(envelope.count));
  for (const [index, record] of (results ?? []).entries())
    checkRecord(table, `${url} record ${index + 1}`, record);
}

/**
 * Checks what depends on the number of a page.
 * @param pageSize The number of records on each page except the last
 */
export function checkPage(table: Table, collection: string, page: CollectionPage, pageSize: number): void {
  const { number, url, status, envelope, count, results } = page;
  const check = table.at(url);
  check("List records.Success status", status === 200, String(status));
  if (status !== 200 || envelope === undefined) return;
  const { next, previous } = envelope;
  // From this page on. If count is invalid, a page with a null link may be the last.
  const assumedCount = next === null ? 0 : Number.POSITIVE_INFINITY;
  const left = (count ?? assumedCount) - pageSize * (number - 1);
  const isLast = left <= pageSize;
  const older = `${collection}?format=api&page=${number + 1}`;
  const newer = `${collection}?format=api&page=${number - 1}`;
  // The specification does not show next on the last page, and previous on the first.
  const isOpen = (link: unknown) => link === null || typeof link === "string";
  check("Page envelope.next", isLast ? isOpen(next) : next === older, show(next), older);
  check(
    "Page envelope.previous",
    number === 1 ? isOpen(previous) : previous === newer,
    show(previous),
    newer,
  );
  if (results === undefined) return;
  const size = results.length;
  const received = `${size} records, and count is ${show(envelope.count)}`;
  const isComplete = isLast ? size === Math.max(0, left) : size > 0;
  check("Page envelope.count", count === undefined || isComplete, received);
  const isShort = !isLast && size > 0 && size < PAGE_SIZE;
  check("List records 1", !isShort && size <= PAGE_SIZE, received);
}

function checkRecord(table: Table, asked: string, record: ForeignRecord): void {
  const check = table.at(asked);
  const missing = FIELDS.filter((name) => record[name] === undefined);
  check("Record 1", missing.length === 0, `no ${missing.join(", ")}`);
  check("States", record.state === undefined, () => show(record.state));
  const issues = ServedRecord.safeParse(record).error?.issues ?? [];
  for (const name of FIELDS.filter((name) => !missing.includes(name))) {
    const isValid = !issues.some(({ path }) => path[0] === name);
    const isRefuted = name === "camera_ok" && record.camera_ok === "False" && hasCounts(record);
    check(`Record.${name}`, isValid && !isRefuted, () => show(record[name]));
  }
}

function hasCounts(record: ForeignRecord): boolean {
  return ROAD_USERS.some((name) => Number(record[name]) > 0);
}

/** Parses a list header. Case, order and repetition do not matter. */
function parseList(value: string | null): string[] {
  return [...new Set((value ?? "").toLowerCase().match(/[^\s,]+/g))].sort();
}
