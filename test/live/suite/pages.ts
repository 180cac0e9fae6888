import { describe, expect, test } from "vitest";
import { lastPage, locatePage, MAX_PAGE } from "../../../src/records/page.ts";
import { ROAD_USERS, TrafficRecord } from "../../../src/records/record.ts";
import { compareNewestFirst } from "../../records/sample.ts";
import { type OpenTarget, PATH, type Survey } from "../survey.ts";

/** What holds for the pages of any collection (specification, "List records" and "Page envelope"). */
export function describePages(open: OpenTarget, survey: Survey): void {
  describe("a page", () => {
    test("is compact JSON with the fields in the specification's order", async () => {
      const text = await (await open().fetch(PATH)).text();
      const envelope = JSON.parse(text);
      expect(text).toBe(JSON.stringify(envelope));
      expect(Object.keys(envelope)).toEqual(["count", "next", "previous", "results"]);
      for (const record of envelope.results)
        expect(Object.keys(record)).toEqual(Object.keys(TrafficRecord.shape));
    });

    test.for<[query: string, page: number | "last", link: (page: number) => string]>([
      ["", 1, (page) => `format=api&page=${page}`],
      ["?page=", 1, (page) => `format=api&page=${page}`],
      ["?format=api&page=2", 2, (page) => `format=api&page=${page}`],
      ["?page=last", "last", (page) => `format=api&page=${page}`],
      ["?format=json&page=3", 3, (page) => `format=json&page=${page}`],
      ["?page=1&page=2", 2, (page) => `format=api&page=${page}`],
      ["?format=xml&format=json", 1, (page) => `format=json&page=${page}`],
      ["?z=1&page=2&a=%C3%BC", 2, (page) => `a=%C3%BC&format=api&page=${page}&z=1`],
      ["?page=%32", 2, (page) => `format=api&page=${page}`],
    ])("%s is page %s with its neighbours", async ([query, page, link], context) => {
      if (page !== "last" && page > 1) survey.need(context, page);
      const { count, next, previous, results } = await survey.read(query);
      const last = lastPage(count);
      const number = page === "last" ? last : page;
      const url = (page: number) => `${open().origin}${PATH}?${link(page)}`;
      expect(next).toBe(number < last ? url(number + 1) : null);
      expect(previous).toBe(number > 1 ? url(number - 1) : null);
      const { first, last: newest } = locatePage(count, number);
      expect(results.length).toBe(newest - first + 1);
    });

    test.each([
      ...["0", "-1", "abc", "1.5", "2%00", "LAST", "1&page=x", "%F0", `${MAX_PAGE}`],
      ...["999999999999999999999", "1&as_of=abc", "1&as_of=0-", `1&as_of=${Number.MAX_SAFE_INTEGER}`],
    ])("page=%s is 404 Invalid page.", async (page) => {
      const response = await open().fetch(`${PATH}?page=${page}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ detail: "Invalid page." });
    });

    test("a page past the last one returns 404", async () => {
      const response = await open().fetch(PATH + survey.pin(survey.pages() + 1));
      expect(response.status).toBe(404);
    });
  });

  describe("the pages of one state", () => {
    test("have the same count, and each record once, newest first", async (context) => {
      survey.need(context, 3);
      const numbers = [1, 2, 3, Math.ceil(survey.pages() / 2), survey.pages() - 1, survey.pages()];
      const distinct = [...new Set(numbers)].sort((one, other) => one - other);
      const records: TrafficRecord[] = [];
      for (const number of distinct) {
        const { count, results } = await survey.read(survey.pin(number));
        expect(count).toBe(survey.count());
        records.push(...results);
      }
      expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
      expect(records).toEqual(records.toSorted(compareNewestFirst));
    });

    test("link to each other in both directions", async (context) => {
      survey.need(context, 2);
      const first = await survey.read(survey.pin(1));
      const second = await survey.read(new URL(first.next!).search);
      expect(second).toEqual(await survey.read(survey.pin(2)));
      expect(await survey.read(new URL(second.previous!).search)).toEqual(first);
    });

    test("have links that name the state if as_of=latest is requested", async (context) => {
      survey.need(context, 2);
      const { count, next } = await survey.read("?as_of=latest");
      const link = `${open().origin}${PATH}?as_of=${count}-LOAD&format=api&page=2`;
      expect(next?.replace(/-[0-9a-z]+(?=&format)/, "-LOAD")).toBe(link);
    });
  });

  describe("a record", () => {
    test("of a failed camera has no counts, and a camera always has the same reference", async (context) => {
      survey.need(context, 1);
      const pages = await Promise.all([survey.read(survey.pin(1)), survey.read(survey.pin(survey.pages()))]);
      const records = pages.flatMap(({ results }) => results);
      const references = new Map(records.map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]));
      for (const record of records) {
        expect(references.get(record.camera_pk)).toBe(record.camera_ref);
        if (record.camera_ok === "False") for (const name of ROAD_USERS) expect(record[name]).toBe(0);
      }
    });
  });
}
