import { lastValue } from "../../../src/http/request.ts";
import { PAGE_SIZE } from "../../../src/records/page.ts";
import { Page } from "../../../src/records/record.ts";
import type { PageEvent } from "../events.ts";
import { describeValue, isObject, isSafeCount } from "../response-body.ts";
import { createNotShownRule, type Finding, type Rule } from "../rule.ts";

const FIELDS = Object.keys(Page.shape);

/** How many additional fields the report names. */
const MAX_NAMED = 10;

/** The sections "Resources and their fields", "Page envelope", and "States and transitions". */
export const PAGE_ENVELOPE_RULES: Rule[] = [
  {
    reference: "Page envelope.count",
    also: ["Service 4"],
    sentence: "count: an integer, the total number of records in the collection, not of the page",
    page: ({ envelope }) =>
      envelope &&
      (isSafeCount(envelope.count) ||
        `count is ${describeValue(envelope.count)}, not an integer from 0 to 2^53`),
    end({ count, allPagesFull, lastPage, recordsOnLastPage }) {
      if (count === undefined || !allPagesFull) return undefined;
      const total = PAGE_SIZE * (lastPage - 1) + recordsOnLastPage;
      if (count === total) return true;
      const broken = `count is ${count}, but pages 1 to ${lastPage} hold ${total} records`;
      return { broken, unless: ["List records.page", "Record.id"] };
    },
  },
  {
    reference: "Page envelope.next",
    also: ["Service 4"],
    sentence: "next: null, or the absolute URL {base_url}/api/tf1/records/?format=api&page=<page_number>",
    page(page) {
      if (!page.envelope || page.duplicateOf !== undefined) return undefined;
      const { next } = page.envelope;
      if (page.isLast) return isLinkOrNull(next) || `next is ${describeValue(next)}, not a string or null`;
      if (next === null) return `next is null, but page ${page.number + 1} holds records`;
      return checkLink(next, page.linkBase) ?? true;
    },
  },
  {
    reference: "Page envelope.previous",
    also: ["Service 4"],
    sentence: "previous: null, or the absolute URL of the preceding page, same shape",
    page(page) {
      if (!page.envelope || page.duplicateOf !== undefined) return undefined;
      const { previous } = page.envelope;
      if (page.number === 1)
        return isLinkOrNull(previous) || `previous is ${describeValue(previous)}, not a string or null`;
      return checkLink(previous, page.linkBase) ?? true;
    },
  },
  {
    reference: "Page envelope.results",
    also: ["Service 4"],
    sentence: "results: an array of records, those of this page",
    page({ envelope }) {
      if (!envelope) return undefined;
      const { results } = envelope;
      if (!Array.isArray(results)) return `results is ${describeValue(results)}, not an array`;
      const other = results.findIndex((record) => !isObject(record));
      return other === -1 || `result ${other + 1} is ${describeValue(results[other])}, not a record`;
    },
  },
  createNotShownRule("Page envelope.others", "Fields other than the four", {
    page({ envelope = {} }) {
      const others = Object.keys(envelope).filter((name) => !FIELDS.includes(name));
      const named = others.slice(0, MAX_NAMED).map(describeValue);
      return others.length === 0 ? undefined : `pages also have ${named.join(", ")}`;
    },
  }),
  {
    reference: "Page envelope 1",
    sentence: "next carries the current page number plus 1; previous the current page number minus 1",
    page: (page) =>
      checkLinks(page, (link, step) => {
        const linked = linkParameter(link, "page");
        const expected = String(page.number + step);
        return (
          linked === undefined || linked === expected || `${describeValue(link)} points to page ${linked}`
        );
      }),
  },
  {
    reference: "Page envelope 2",
    sentence: "The next and previous links keep the format=api query parameter",
    page: (page) =>
      checkLinks(
        page,
        (link) =>
          linkParameter(link, "format") === page.format ||
          `${describeValue(link)} does not have format=${page.format}`,
      ),
  },
  createNotShownRule("Page envelope 3", "next on the last page and previous on the first", {
    page({ number, isLast, envelope }) {
      const links = [
        ...(number === 1 ? [`previous on page 1 is ${describeValue(envelope?.previous)}`] : []),
        ...(isLast ? [`next on the last page is ${describeValue(envelope?.next)}`] : []),
      ];
      return links.length === 0 ? undefined : links.join(", ");
    },
    end: ({ afterLast }) => afterLast && `the page after the last one returned ${afterLast}`,
  }),
  createNotShownRule("Resources.others", "Other resources (cameras, models)"),
  {
    reference: "States 1",
    sentence: "Records have no state field",
    record: ({ fields }) => !Object.hasOwn(fields, "state") || `state is ${describeValue(fields.state)}`,
  },
  createNotShownRule("States 2", "Transitions"),
];

/** Checks the links of a page that should lead to another page. */
function checkLinks(page: PageEvent, check: (link: string, step: number) => Finding): Finding {
  // If a page is the same as another one, its links are too, and "List records.page" reports it.
  if (page.duplicateOf !== undefined) return undefined;
  const { next, previous } = page.envelope ?? {};
  const findings: Finding[] = [];
  if (!page.isLast && typeof next === "string") findings.push(check(next, 1));
  if (page.number > 1 && typeof previous === "string") findings.push(check(previous, -1));
  return findings.find((finding) => typeof finding === "string") ?? findings[0];
}

function isLinkOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

/** The value of a query parameter of a link, absolute or not. */
function linkParameter(link: string, name: string): string | undefined {
  const url = URL.parse(link, "http://relative.example");
  return (url && lastValue(url.searchParams, name)) ?? undefined;
}

/**
 * Checks that a link has exactly the shape of the specification, `{base}?format=api&page=<page_number>`. Other rules
 * check the page number and the format.
 * @returns what is wrong
 */
function checkLink(link: unknown, base: string): string | undefined {
  if (typeof link !== "string") return `the link is ${describeValue(link)}, not a string`;
  if (!URL.canParse(link)) return `${describeValue(link)} is not an absolute URL`;
  const page = linkParameter(link, "page");
  if (page === undefined) return `${describeValue(link)} has no page number`;
  const format = linkParameter(link, "format");
  const expected = format === undefined ? `${base}?page=${page}` : `${base}?format=${format}&page=${page}`;
  return link === expected ? undefined : `${describeValue(link)} is not ${expected}`;
}
