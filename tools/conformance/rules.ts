import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { COLLECTION_PATH, PAGE_SIZE } from "../../src/records/page.ts";
import { ROAD_USERS, TrafficRecord } from "../../src/records/record.ts";
import { isObject } from "../data/formats/validation.ts";
import { formatValue } from "../messages.ts";
import type { Fields, PageResponse } from "./page-response.ts";
import type { Reply } from "./retrying-client.ts";

/** The rules of the specification. If a defect breaks several rules, the first one is usually the cause. */
export const RULES: Record<string, string> = {
  "List records.status": `The status of a page is 200, with GET of ${COLLECTION_PATH}`,
  "List records.Content-Type": "Content-Type is application/json, without parameters",
  "List records.body": "The body is a page envelope in JSON",
  "List records.Allow": "Allow is GET, OPTIONS; no response advertises another method",
  "List records.Vary": "Vary includes Accept",
  "Options.method": "OPTIONS is allowed, and its response has Allow",
  "Page envelope.results": "results is an array with the records of the page",
  "List records.page": "page is the number of the page, from 1",
  "List records 1": `A page has ${PAGE_SIZE} records; only the last page may have fewer`,
  "Record.id": "id is an integer, and no two records have the same id",
  "Page envelope.count": "count is an integer, the number of records in the whole collection",
  "List records 5": "All pages of one state of the collection have the same count",
  "List records.page default": "If page is not set, the response is page 1",
  "Page envelope.next": "next is the absolute URL of the following page",
  "Page envelope.previous": "previous is the absolute URL of the preceding page",
  "Record 1": "Each record has all twelve fields",
  "Record.camera_pk": "camera_pk is an integer",
  "Record.camera_ref": "camera_ref is a string that is not blank",
  "Record.timestamp": "timestamp is a date-time in UTC, YYYY-MM-DDThh:mm:ssZ",
  ...Object.fromEntries(ROAD_USERS.map((name) => [`Record.${name}`, `${name} is an integer, 0 or greater`])),
  "Record.camera_ok": 'camera_ok is "True", null, or "False" with counts of 0',
  "Record.model_name": 'model_name is "tf1"',
  "States 1": "A record has no field state",
  "Record 4": "Records with the same camera_pk have the same camera_ref",
  "Record 2": "A camera has one record for each time of observation",
  "List records 2": "The newest records come first, by timestamp",
  "List records 4": "camera_ok is null only in older records",
  "Record 5": "Requests that would write are rejected and change nothing",
};

/** The maximum number of findings that the report shows for a rule. */
const MAX_EVIDENCE = 3;

/** A rule in the report. The names of its members are public. */
export type RuleResult = ReturnType<ReturnType<typeof createRecorder>["list"]>[number];

/** True if a response follows a rule. Otherwise, how the response breaks the rule, or why the result is unclear. */
export type Finding = true | string;

/** @param where The URL and the part of the response, for the evidence */
export type AddFinding = (rule: string, where: string, finding: Finding, isUnclear?: boolean) => void;

/** Counts the findings of each rule. */
export function createRecorder() {
  const nothing = () => ({ passed: 0, failed: 0, unclear: 0, evidence: [] as string[] });
  const results = new Map(
    Object.entries(RULES).map(([rule, description]) => [rule, { rule, description, ...nothing() }]),
  );
  const addFinding: AddFinding = (rule, where, finding, isUnclear = false) => {
    const result = results.get(rule);
    if (result === undefined) throw new Error(`There is no rule ${rule}.`);
    if (finding === true) result.passed += 1;
    else if (++result[isUnclear ? "unclear" : "failed"] <= MAX_EVIDENCE)
      result.evidence.push(`${where}: ${finding}`);
  };
  const list = () =>
    Array.from(results.values(), ({ unclear, ...result }) => {
      const shown = result.passed > 0 && unclear === 0 ? "pass" : "untested";
      const verdict = result.failed > 0 ? "fail" : shown;
      return { ...result, verdict } as const;
    });
  return { addFinding, list };
}

/**
 * Checks the rules that concern a single page.
 * @param pageSize The number of records on each page except the last page
 * @param linkUrl The URL of the collection that the links must begin with
 */
export function checkPage(addFinding: AddFinding, page: PageResponse, pageSize: number, linkUrl: string) {
  const { url, status, headers, outcome, envelope, results, count } = page;
  const location = headers.get("Location");
  const problem = location ? `${outcome} with Location ${formatValue(location, 200)}` : outcome;
  addFinding("List records.status", url, status === 200 || problem);
  if (status === 200) {
    const isJson = headers.get("Content-Type")?.toLowerCase() === "application/json";
    addFinding("List records.Content-Type", url, isJson || describeHeader(headers, "Content-Type"));
    addFinding("List records.body", url, checkBody(page));
    addFinding("List records.Allow", url, checkAllow(page));
    const varies = parseList(headers.get("Vary")).includes("accept");
    addFinding("List records.Vary", url, varies || describeHeader(headers, "Vary"));
  }
  if (envelope === undefined) return;
  addFinding("Page envelope.results", url, checkResults(page));
  addFinding("List records 1", url, results.length <= PAGE_SIZE || `has ${results.length} records`);
  addFinding("Page envelope.count", url, count !== undefined || `count is ${formatValue(envelope.count)}`);
  // If count is invalid, a page with a null link may be the last page.
  const isLast = page.number * pageSize >= (count ?? (envelope.next === null ? 0 : Infinity));
  addFinding("Page envelope.next", url, checkLink(page, "next", linkUrl, isLast));
  addFinding("Page envelope.previous", url, checkLink(page, "previous", linkUrl, page.number === 1));
}

/** Compares a page with page 1 and with the previous page. */
export function comparePage(
  addFinding: AddFinding,
  page: PageResponse,
  first: PageResponse,
  previous: PageResponse,
) {
  const { url, count, results } = page;
  const isDifferent = results.length === 0 || !isDeepStrictEqual(results, previous.results);
  addFinding("List records.page", url, isDifferent || `has the same records as page ${previous.number}`);
  const length = previous.envelope?.results === previous.results ? previous.results.length : PAGE_SIZE;
  addFinding("List records 1", previous.url, length >= PAGE_SIZE || `has ${length} records`);
  const isSame = count === undefined || first.count === undefined || count === first.count;
  addFinding("List records 5", url, isSame || `count is ${count}, but ${first.count} on page 1`);
}

/** @param optional The methods that Allow may leave out */
export function checkAllow({ headers }: Reply, optional = ""): Finding {
  const methods = parseList(`${headers.get("Allow") ?? ""},${optional}`);
  return String(methods) === "get,options" || describeHeader(headers, "Allow");
}

/** Parses a list header. Case, order and repetition do not matter. */
function parseList(value: string | null): string[] {
  return [...new Set((value ?? "").toLowerCase().match(/[^\s,]+/g))].sort();
}

function describeHeader(headers: Headers, name: string): string {
  return `${name} is ${formatValue(headers.get(name) ?? undefined)}`;
}

function checkBody({ body, envelope, outcome }: PageResponse): Finding {
  if (body.length === 0) return outcome;
  const start = formatValue(Buffer.from(body.subarray(0, 200)).toString());
  return envelope !== undefined || `the body is not a JSON object: ${start}`;
}

function checkResults({ envelope, results }: PageResponse): Finding {
  if (envelope?.results !== results) return `results is ${formatValue(envelope?.results)}, not an array`;
  const invalid = results.findIndex((record) => !isObject(record));
  return invalid === -1 || `result ${invalid + 1} is ${formatValue(results[invalid])}, not a record`;
}

/** @param isEnd Whether the linked page does not exist. The specification does not define such a link */
function checkLink(page: PageResponse, name: "next" | "previous", linkUrl: string, isEnd: boolean) {
  const link = page.envelope?.[name];
  if (isEnd && (link === null || typeof link === "string")) return true;
  const expected = `${linkUrl}?format=api&page=${page.number + (name === "next" ? 1 : -1)}`;
  return link === expected || `${name} is ${formatValue(link, 200)}, not ${expected}`;
}

/** The fields of a record. A service may allow more in a `camera_ref` than a load does. */
const FIELDS = Object.entries({
  ...TrafficRecord.shape,
  camera_ref: z.string().refine((text) => text.trim() !== ""),
});

/** Checks the rules that concern a single record. A missing field breaks only the rule "Record 1". */
export function checkRecordFields(addFinding: AddFinding, fields: Fields, where: string): void {
  const missing = FIELDS.flatMap(([name]) => (fields[name] === undefined ? [name] : []));
  addFinding("Record 1", where, missing.length === 0 || `missing fields: ${missing.join(", ")}`);
  // An invalid count breaks only the rule of its own field, so only valid counts can contradict camera_ok.
  const counted = ROAD_USERS.find(
    (name) => TrafficRecord.shape[name].validate(fields[name]) && fields[name] !== 0,
  );
  for (const [name, schema] of FIELDS) {
    const value = fields[name];
    if (value === undefined) continue;
    const contradiction = name === "camera_ok" && value === "False" ? counted : undefined;
    const but = contradiction ? `, but ${contradiction} is ${formatValue(fields[contradiction])}` : "";
    const isFollowed = schema.validate(value) && !contradiction;
    addFinding(`Record.${name}`, where, isFollowed || `${name} is ${formatValue(value)}${but}`);
  }
  addFinding("States 1", where, fields.state === undefined || `state is ${formatValue(fields.state)}`);
}

export type SeenRecords = ReturnType<typeof createSeenRecords>;

/** Creates the data that a walk stores about the records. */
export function createSeenRecords() {
  return {
    /** The id of each record. A unique symbol replaces a missing id. */
    ids: new Set<unknown>(),
    /** The latest record of each camera. */
    cameras: new Map<unknown, Fields>(),
    /** The oldest timestamp so far. Initially "~", which sorts after all timestamps. */
    timestamp: "~",
    /** The newest timestamp with a null camera_ok. Initially "", which sorts before all timestamps. */
    firstNull: "",
  };
}

/** Compares a record with the previous records. */
export function compareRecord(addFinding: AddFinding, seen: SeenRecords, fields: Fields, where: string) {
  const add = (rule: string, finding: Finding) => addFinding(rule, where, finding);
  const { id, camera_pk: camera, timestamp, camera_ref, camera_ok } = fields;
  if (seen.ids.has(id)) {
    add("Record.id", `an earlier record also has the id ${id}`);
    return;
  }
  seen.ids.add(id ?? Symbol("no id"));
  const known = seen.cameras.get(camera);
  if (known) {
    const names = () => `${formatValue(known.camera_ref)} and ${formatValue(camera_ref)}`;
    add("Record 4", known.camera_ref === camera_ref || `camera ${camera} has the names ${names()}`);
    add("Record 2", known.timestamp !== timestamp || `camera ${camera} has two records of ${timestamp}`);
  }
  if (camera !== undefined) seen.cameras.set(camera, fields);
  if (!TrafficRecord.shape.timestamp.validate(timestamp)) return;
  add("List records 2", timestamp <= seen.timestamp || `${timestamp} follows ${seen.timestamp}`);
  seen.timestamp = timestamp;
  if (camera_ok === null) seen.firstNull ||= timestamp;
  // Records of the same second can have any order, even if only some have a null camera_ok.
  const problem = `camera_ok is null at ${seen.firstNull}, but not at ${timestamp}`;
  if (camera_ok !== null) add("List records 4", timestamp >= seen.firstNull || problem);
}
