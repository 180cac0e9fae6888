import { formatDetail, type ProblemDetail } from "../../../data/formats/problem.ts";
import { findHealthProblem, recordValidator } from "../../../data/formats/validation.ts";
import { lastValue } from "../../../src/http/request.ts";
import { PAGE_SIZE } from "../../../src/records/page.ts";
import { Page } from "../../../src/records/record.ts";
import { pageUrl } from "../../http-client/collection-url.ts";
import { addRecord, type SeenRecords } from "./consistency.ts";
import type { PositionedPage } from "./page-queue.ts";

/** A violation of the specification in a response. */
export interface ResponseProblem extends ProblemDetail {
  /** What breaks the rule: the URL of a page, or that and one of its records. */
  subject: string;
}

/** For example `https://counts.example/api/tf1/records/?format=api&page=2 record 17: buses is missing`. */
export function formatResponseProblem({ subject, ...detail }: ResponseProblem): string {
  return `${subject}: ${formatDetail(detail)}`;
}

/**
 * Checks the envelope of a page (specification, "Page envelope", and "List records", rule 1).
 * @returns a problem for each field that violates it
 */
export function checkPage(page: PositionedPage): ResponseProblem[] {
  return [
    ...findUnknownFields(page),
    ...checkLink(page, "next", page.first > 1 ? page.number + 1 : undefined),
    ...checkLink(page, "previous", page.number > 1 ? page.number - 1 : undefined),
    ...checkLength(page),
  ];
}

function findUnknownFields({ url, envelope }: PositionedPage): ResponseProblem[] {
  const unknown = Object.keys(envelope).filter((field) => !(field in Page.shape));
  return unknown.map((field) => ({ subject: url, field, message: "is not a field of an envelope" }));
}

/** The specification does not show the links to the missing neighbours: any string or null is accepted there. */
function checkLink(
  page: PositionedPage,
  field: "next" | "previous",
  neighbour: number | undefined,
): ResponseProblem[] {
  const subject = page.url;
  const value = page.envelope[field];
  if (value === undefined) return [{ subject, field, message: "is missing" }];
  if (neighbour === undefined) {
    if (value === null || typeof value === "string") return [];
    return [{ subject, field, value, message: "is not a string or null" }];
  }
  const expected = pageUrl(page.collection, neighbour);
  return isSameLink(value, expected) ? [] : [{ subject, field, value, message: `should be ${expected}` }];
}

/** Ignores the order of the parameters, and parameters that the specification does not name. */
function isSameLink(value: unknown, expected: string): boolean {
  const link = typeof value === "string" ? URL.parse(value) : null;
  const wanted = new URL(expected);
  return (
    link?.origin === wanted.origin &&
    link.pathname === wanted.pathname &&
    ["format", "page"].every(
      (name) => lastValue(link.searchParams, name) === lastValue(wanted.searchParams, name),
    )
  );
}

function checkLength({ url, last, results }: PositionedPage): ResponseProblem[] {
  const expected = Math.min(PAGE_SIZE, last);
  if (results.length === expected) return [];
  const message = `contains ${results.length} records instead of ${expected}`;
  return [{ subject: url, field: "results", message }];
}

/**
 * Checks an element of `results` against the specification and against the records before it, and adds it to these.
 * @returns a problem for each rule that it violates
 */
export function checkRecord(record: unknown, subject: string, seen: SeenRecords): ResponseProblem[] {
  const checked = recordValidator.validate(record, { subject }, record);
  const problems = "problems" in checked ? checked.problems : [findHealthProblem(checked.data, { subject })];
  return [
    ...problems.filter((problem) => problem !== undefined),
    ...checkOrder(record, subject, seen),
    ...checkConflicts(record, subject, seen),
  ];
}

/** Specification, "List records", rules 2 and 3: newest first, in any order within one timestamp. */
function checkOrder(record: unknown, subject: string, seen: SeenRecords): ResponseProblem[] {
  const { timestamp: value } = Object(record);
  const previous = seen.timestamp;
  if (typeof value !== "string") return [];
  seen.timestamp = value;
  if (previous === null || value <= previous) return [];
  const message = `is later than the timestamp of the record before it, ${previous}`;
  return [{ subject, field: "timestamp", value, message }];
}

/** Specification, "Record": ids are unique; a camera has one record per time (rule 2) and one camera_ref (rule 4). */
function checkConflicts(record: unknown, subject: string, seen: SeenRecords): ResponseProblem[] {
  const { camera_pk, camera_ref } = Object(record);
  const { id, cameraRef, timestamp } = addRecord(seen, record);
  const problems: ResponseProblem[] = [];
  if (id !== undefined) {
    problems.push({ subject, field: "id", value: id, message: "is the id of a previous record" });
  }
  if (cameraRef !== undefined) {
    const message = `differs from ${JSON.stringify(cameraRef)}, the camera_ref of camera_pk ${camera_pk} in previous records`;
    problems.push({ subject, field: "camera_ref", value: camera_ref, message });
  }
  // If the id is the same as well, the record is simply repeated, and one message is enough.
  if (timestamp !== undefined && id === undefined) {
    const message = `is the timestamp of a previous record of camera ${JSON.stringify(camera_ref)}`;
    problems.push({ subject, field: "timestamp", value: timestamp, message });
  }
  return problems;
}
