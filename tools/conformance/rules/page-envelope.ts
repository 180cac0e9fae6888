import { PAGE_SIZE } from "../../../src/records/page.ts";
import { Page } from "../../../src/records/record.ts";
import { isObject, isTotal, showValue } from "../json.ts";
import { judgeLink, linkedPage, linkFormat } from "../link.ts";
import type { SeenPage } from "../observation.ts";
import { type Finding, notShown, type Rule } from "../rule.ts";

const FIELDS = Object.keys(Page.shape);

/** "Resources and their fields", "Page envelope". */
export const PAGE_ENVELOPE: Rule[] = [
  {
    place: "Page envelope.count",
    also: ["Service 4"],
    sentence: "count: an integer, the total number of records in the collection, not of the page",
    page: ({ fields }) =>
      fields &&
      (isTotal(fields.count) || `count is ${showValue(fields.count)}, not an integer from 0 to 2^53`),
    end({ count, regular, number, length }) {
      if (count === undefined || !regular) return undefined;
      const total = PAGE_SIZE * (number - 1) + length;
      return count === total || `count is ${count}, but pages 1 to ${number} hold ${total} records`;
    },
  },
  {
    place: "Page envelope.next",
    also: ["Service 4"],
    sentence: "next: null, or the absolute URL {base_url}/api/tf1/records/?format=api&page=<page_number>",
    page(page) {
      if (!page.fields) return undefined;
      const { next } = page.fields;
      if (page.isLast) return isLinkOrNull(next) || `next is ${showValue(next)}, not a string or null`;
      if (next === null) return `next is null, but page ${page.number + 1} holds records`;
      return judgeLink(next, page.base) ?? true;
    },
  },
  {
    place: "Page envelope.previous",
    also: ["Service 4"],
    sentence: "previous: null, or the absolute URL of the preceding page, same shape",
    page(page) {
      if (!page.fields) return undefined;
      const { previous } = page.fields;
      if (page.number === 1)
        return isLinkOrNull(previous) || `previous is ${showValue(previous)}, not a string or null`;
      return judgeLink(previous, page.base) ?? true;
    },
  },
  {
    place: "Page envelope.results",
    also: ["Service 4"],
    sentence: "results: an array of records, those of this page",
    page({ fields }) {
      if (!fields) return undefined;
      const { results } = fields;
      if (!Array.isArray(results)) return `results is ${showValue(results)}, not an array`;
      const other = results.findIndex((record) => !isObject(record));
      return other === -1 || `result ${other + 1} is ${showValue(results[other])}, not a record`;
    },
  },
  notShown("Page envelope.others", "Fields beside the four", {
    page({ fields = {} }) {
      const others = Object.keys(fields).filter((name) => !FIELDS.includes(name));
      return others.length === 0 ? undefined : `pages carry ${others.map(showValue).join(", ")} too`;
    },
  }),
  {
    place: "Page envelope 1",
    sentence: "next carries the current page number plus 1; previous the current page number minus 1",
    page: (page) =>
      eachLink(page, (link, step) => {
        const linked = linkedPage(link);
        const expected = String(page.number + step);
        return linked === undefined || linked === expected || `${showValue(link)} leads to page ${linked}`;
      }),
  },
  {
    place: "Page envelope 2",
    sentence: "The next and previous links keep the format=api query parameter",
    page: (page) =>
      eachLink(page, (link) => linkFormat(link) === "api" || `${showValue(link)} lacks format=api`),
  },
  notShown("Page envelope 3", "next on the last page and previous on the first", {
    page({ number, isLast, fields }) {
      const told = [
        ...(number === 1 ? [`previous on page 1 is ${showValue(fields?.previous)}`] : []),
        ...(isLast ? [`next on the last page is ${showValue(fields?.next)}`] : []),
      ];
      return told.length === 0 ? undefined : told.join(", ");
    },
    end: ({ after }) => after && `the page after the last one: ${after}`,
  }),
  notShown("Resources.others", "Other resources (cameras, models)"),
  {
    place: "States 1",
    sentence: "Records have no state field",
    record: ({ fields }) => !Object.hasOwn(fields, "state") || `state is ${showValue(fields.state)}`,
  },
  notShown("States 2", "Transitions"),
];

/** Applies a check to those links of a page that lead somewhere; elsewhere nothing is shown. */
function eachLink(page: SeenPage, check: (link: string, step: number) => Finding): Finding {
  const { next, previous } = page.fields ?? {};
  const findings: Finding[] = [];
  if (!page.isLast && typeof next === "string") findings.push(check(next, 1));
  if (page.number > 1 && typeof previous === "string") findings.push(check(previous, -1));
  return findings.find((finding) => typeof finding === "string") ?? findings[0];
}

function isLinkOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
