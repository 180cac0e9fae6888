import { lastValue } from "../../src/http/request.ts";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { Page } from "../../src/records/record.ts";
import { addressPage } from "../../tools/http-client/address.ts";
import type { Problem } from "../sources/source.ts";
import type { ReadPage } from "./pages.ts";

/**
 * Holds the envelope of a page against the specification ("Page envelope", "List records", rule 1).
 * @returns a problem for each field that breaks it
 */
export function checkPage(page: ReadPage): Problem[] {
  return [
    ...findUnknown(page),
    ...checkLink(page, "next", page.first > 1 ? page.number + 1 : undefined),
    ...checkLink(page, "previous", page.number > 1 ? page.number - 1 : undefined),
    ...checkLength(page),
  ];
}

function findUnknown({ url, fields }: ReadPage): Problem[] {
  const unknown = Object.keys(fields).filter((field) => !(field in Page.shape));
  return unknown.map((field) => ({ file: url, line: 0, field, message: "is not a field of an envelope" }));
}

/**
 * What stands on the first and the last page in place of the missing neighbour is not shown in the specification;
 * there it may be any text, or null.
 */
function checkLink(page: ReadPage, field: "next" | "previous", neighbour: number | undefined): Problem[] {
  const place = { file: page.url, line: 0, field };
  const value = page.fields[field];
  if (value === undefined) return [{ ...place, message: "is missing" }];
  if (neighbour === undefined) {
    if (value === null || typeof value === "string") return [];
    return [{ ...place, value, message: "is not a text, or null" }];
  }
  const expected = addressPage(page.collection, neighbour);
  return isSameAddress(value, expected) ? [] : [{ ...place, value, message: `is not ${expected}` }];
}

/** The order of the parameters is of no account, nor are those that the specification does not name. */
function isSameAddress(value: unknown, expected: string): boolean {
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

function checkLength({ url, last, results }: ReadPage): Problem[] {
  const expected = Math.min(PAGE_SIZE, last);
  if (results.length === expected) return [];
  const message = `holds ${results.length} records instead of ${expected}`;
  return [{ file: url, line: 0, field: "results", message }];
}
