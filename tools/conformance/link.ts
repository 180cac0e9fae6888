import { lastValue } from "../../src/http/request.ts";
import { showValue } from "./json.ts";

/** The page that a link, absolute or not, leads to; undefined if it names none. */
export function linkedPage(link: string): string | undefined {
  return parameter(link, "page");
}

export function linkFormat(link: string): string | undefined {
  return parameter(link, "format");
}

function parameter(link: string, name: string): string | undefined {
  const url = URL.parse(link, "http://relative.example");
  return (url && lastValue(url.searchParams, name)) ?? undefined;
}

/**
 * Holds a link against the shape of the specification ("Page envelope"), `{base}?format=api&page=<page_number>`,
 * letter by letter. Which page and format it names is for rules of their own.
 * @returns what is wrong
 */
export function judgeLink(link: unknown, base: string): string | undefined {
  if (typeof link !== "string") return `the link is ${showValue(link)}, not a string`;
  if (!URL.canParse(link)) return `${showValue(link)} is not an absolute URL`;
  const page = linkedPage(link);
  if (page === undefined) return `${showValue(link)} names no page`;
  const format = linkFormat(link);
  const expected = format === undefined ? `${base}?page=${page}` : `${base}?format=${format}&page=${page}`;
  return link === expected ? undefined : `${showValue(link)} is not ${expected}`;
}
