import { PAGE_SIZE } from "../../src/records/page.ts";
import { describeValue, type Fields, isLast, isObject, type PageResponse } from "./page-response.ts";
import { createRule, type Finding, type Rule } from "./rule.ts";

/** The fields of a page that the specification does not name. */
export function listOtherPageFields(envelope: Fields): string[] {
  return Object.keys(envelope).filter((name) => !["count", "next", "previous", "results"].includes(name));
}

/** Whether the pages are the right ones. */
export const PAGE_RULES: Rule[] = [
  createRule("Page envelope.results", "results is an array with the records of the page", {
    page({ envelope }) {
      if (envelope === undefined) return undefined;
      const { results } = envelope;
      if (!Array.isArray(results)) return `results is ${describeValue(results)}, not an array`;
      const other = results.findIndex((record) => !isObject(record));
      return other === -1 || `result ${other + 1} is ${describeValue(results[other])}, not a record`;
    },
  }),
  createRule("List records.page", "page is the number of the page, from 1", {
    page: ({ sameAs }) => sameAs === undefined || `has the same records as page ${sameAs}`,
    response: ({ purpose, problem }) => (purpose === "page 0" ? problem : undefined),
  }),
];

export const COUNT_RULES: Rule[] = [
  createRule("Page envelope.count", "count is an integer, the number of records in the whole collection", {
    page({ envelope, count }) {
      if (envelope === undefined) return undefined;
      return count !== undefined || `count is ${describeValue(envelope.count)}, not an integer up to 2^53`;
    },
    total: ({ count, total }) => count === total || `count is ${count}, but the pages have ${total} records`,
  }),
  createRule("List records 5", "All pages of one state of the collection have the same count", {
    page: ({ number, count, countProblem }) =>
      countProblem ?? ((number > 1 && count !== undefined) || undefined),
  }),
  createRule("List records 1", `A page has ${PAGE_SIZE} records; only the last page may have fewer`, {
    page(page) {
      const { length } = page.results;
      if (!Array.isArray(page.envelope?.results)) return undefined;
      return length === PAGE_SIZE || (isLast(page) && length < PAGE_SIZE) || `has ${length} records`;
    },
  }),
  createRule("List records.page default", "Without page, the response is page 1", {
    response: ({ purpose, problem }) => (purpose === "no page" ? (problem ?? true) : undefined),
  }),
];

/**
 * Checks the links that should lead to another page. If a page repeats another one, its links do, too.
 * @param isRight takes a link and the number of the page that it should lead to
 */
function checkLinks(
  page: PageResponse,
  isRight: (link: string, number: number) => boolean,
  problem: string,
): Finding {
  const { envelope, number, sameAs } = page;
  const next = isLast(page) ? undefined : { link: envelope?.next, number: number + 1 };
  const previous = number === 1 ? undefined : { link: envelope?.previous, number: number - 1 };
  const links = [next, previous].filter((one) => typeof one?.link === "string");
  if (links.length === 0 || sameAs !== undefined) return undefined;
  const wrong = links.find((one) => one && !isRight(String(one.link), one.number));
  return wrong === undefined || `${describeValue(wrong.link, 200)} ${problem}`;
}

/** The value of a query parameter of a link, absolute or not. */
function findParameter(link: string, name: string): string | undefined {
  return URL.parse(link, "http://relative.example")?.searchParams.get(name) ?? undefined;
}

/** @param isEnd whether it is the first or the last page, for which the specification does not show the link */
function checkLink(
  { envelope, sameAs, linkBase }: PageResponse,
  name: "next" | "previous",
  isEnd: boolean,
): Finding {
  if (envelope === undefined || sameAs !== undefined) return undefined;
  const link = envelope[name];
  if (isEnd && (link === null || typeof link === "string")) return true;
  if (typeof link !== "string") return `${name} is ${describeValue(link)}, not a link`;
  // The other rules judge the page number and the format.
  const format = findParameter(link, "format");
  const number = findParameter(link, "page") ?? "<number>";
  const expected = `${linkBase}?${format === undefined ? "" : `format=${format}&`}page=${number}`;
  return link === expected || `${name} is ${describeValue(link, 200)}, not ${expected}`;
}

export const LINK_RULES: Rule[] = [
  createRule("Page envelope 1", "next has the number of the page plus 1, and previous has it minus 1", {
    page: (page) =>
      checkLinks(
        page,
        (link, number) => (findParameter(link, "page") ?? String(number)) === String(number),
        "leads to another page",
      ),
  }),
  createRule("Page envelope 2", "Both links keep format=api", {
    page: (page) =>
      checkLinks(page, (link) => findParameter(link, "format") === "api", "does not have format=api"),
  }),
  createRule("Page envelope.next", "next is the absolute URL of the following page", {
    page: (page) => checkLink(page, "next", isLast(page)),
  }),
  createRule("Page envelope.previous", "previous is the absolute URL of the page before", {
    page: (page) => checkLink(page, "previous", page.number === 1),
  }),
];
