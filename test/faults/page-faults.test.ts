import { describe, expect, test, vi } from "vitest";
import type { OptionValue, OptionValues } from "../../src/faults/option-table.ts";
import { changePage } from "../../src/faults/page-faults.ts";
import { type Page, TrafficRecord } from "../../src/records/schema.ts";
import { checkExchanges } from "../support/exchange.ts";
import { makeRecords } from "../support/sample-records.ts";
import { fetch, fetchPage, getTarget, LAST_PAGE, PAGE_2, prefer, setTime } from "./faults-service.ts";

/** Changes a copy of a page. Returns undefined if the change is not possible. */
function changeCopy(options: OptionValues, page: Page, random: number): Page | undefined {
  const copy = structuredClone(page);
  const changes = changePage(copy, options, () => random);
  return changes.length > 0 ? copy : undefined;
}

const createPage = (count: number): Page => ({
  count,
  next: null,
  previous: null,
  results: makeRecords(count).reverse(),
});
const PAGE = createPage(15);
/** Random numbers that choose each record, and each count of a record. */
const CHOICES = Array.from({ length: 90 }, (_, index) => (index + 0.5) / 90);

const URL_WITHOUT_PAGE = "https://counts.example/api/tf1/records/?format=api&page=";

test.each<[prefer: string, changes: Partial<Page>]>([
  ["count=+1", { count: 401 }],
  ["next=null", { next: null }],
  ["next=loop", { next: `${URL_WITHOUT_PAGE}2` }],
  ["next=skip", { next: `${URL_WITHOUT_PAGE}4` }],
  [
    "rows=drop, count=+2, next=null, record=extra, seed=3",
    { count: 402, next: null, results: expect.objectContaining({ length: 14 }) },
  ],
])("%s changes a page", async (text, changes) => {
  const page = await fetchPage("");
  await checkExchanges(fetch, prefer(text, PAGE_2, { body: { ...page, ...changes } }));
});

describe("rows", () => {
  const getIds = (page: Page | undefined) => page?.results.map(({ id }) => id) ?? [];
  const ids = getIds(PAGE);

  test("drops, repeats or swaps records", () => {
    for (const random of CHOICES) {
      const dropped = getIds(changeCopy({ rows: "drop" }, PAGE, random));
      expect([dropped.length, ids.filter((id) => !dropped.includes(id)).length]).toEqual([14, 1]);
      const repeated = getIds(changeCopy({ rows: "repeat" }, PAGE, random));
      expect([repeated.length, new Set(repeated).size]).toEqual([15, 14]);
      const swapped = changeCopy({ rows: "swap" }, PAGE, random);
      expect(getIds(swapped).toSorted()).toEqual(ids.toSorted());
      const timestamps = swapped?.results.map(({ timestamp }) => timestamp) ?? [];
      expect(timestamps).not.toEqual(timestamps.toSorted().reverse());
    }
  });

  test("swaps the only neighbors with different timestamps, and is not applied if there are none", () => {
    const page = createPage(5);
    const [first, second, ...others] = getIds(page);
    expect(getIds(changeCopy({ rows: "swap" }, page, 0.9))).toEqual([second, first, ...others]);
    expect(changeCopy({ rows: "swap" }, createPage(4), 0)).toBeUndefined();
    expect(changeCopy({ rows: "drop" }, createPage(1), 0)).toBeUndefined();
  });
});

test.each<[OptionValue<"record">, number, RegExp]>([
  ["float", 90, /^\d+ [a-z]+ \d+\.5$/],
  ["null", 90, /^\d+ [a-z]+ null$/],
  ["missing", 90, /^\d+ [a-z]+ undefined$/],
  ["extra", 15, /^\d+ vans 0$/],
  ["offset", 15, /^\d+ timestamp [\dT:-]+\+00:00$/],
])("record=%s changes one field of a record, out of %i fields of the page", (value, count, expected) => {
  const names = [...TrafficRecord.keyof().options, "vans"];
  const listFields = ({ results }: Page) =>
    results.flatMap((record, row) => names.map((name) => `${row} ${name} ${Object(record)[name]}`));
  const fields = new Set(listFields(PAGE));
  const changes = CHOICES.map((random) =>
    listFields(changeCopy({ record: value }, PAGE, random)!).filter((field) => !fields.has(field)),
  );
  for (const change of changes) expect(change).toEqual([expect.stringMatching(expected)]);
  expect(new Set(changes.flat()).size).toBe(count);
});

describe("a change names the record, the member and what was there", () => {
  const { results: before } = PAGE;
  const listIds = ({ results }: Page) => results.map(({ id }) => id);

  /** Changes a copy of the page. Returns the copy, and the only change. */
  const change = (options: OptionValues, random: number) => {
    const copy = structuredClone(PAGE);
    const changes = changePage(copy, options, () => random);
    expect(changes).toHaveLength(1);
    const { record = Number.NaN, member = "", note } = changes[0]!;
    return { copy, record, member, note };
  };

  test.each(["float", "null", "offset", "extra"] as const)("record=%s", (value) => {
    for (const random of CHOICES) {
      const { copy, record, member, note } = change({ record: value }, random);
      const was = Object(before[record])[member];
      expect(note).toBe(value === "extra" ? "added" : `was ${was}`);
      expect({ ...copy.results[record], [member]: was }).toEqual({ ...before[record], [member]: was });
      expect(Object(copy.results[record])[member]).not.toEqual(was);
    }
  });

  test("record=missing", () => {
    for (const random of CHOICES) {
      const { copy, record, note } = change({ record: "missing" }, random);
      const [, name = "", was] = /^(.*) is missing, was (.*)$/.exec(note) ?? [];
      expect({ ...copy.results[record], [name]: Number(was) }).toEqual(before[record]);
      expect(JSON.parse(JSON.stringify(copy.results[record]))).not.toHaveProperty(name);
    }
  });

  test("rows", () => {
    for (const random of CHOICES) {
      const repeated = change({ rows: "repeat" }, random);
      const { id } = repeated.copy.results[repeated.record]!;
      expect(repeated.note).toBe(`a copy of ${id}, in place of ${before[repeated.record]!.id}`);
      expect(listIds(repeated.copy).filter((other) => other === id)).toHaveLength(2);

      const dropped = change({ rows: "drop" }, random);
      const [, missing, side] = /^(\d+) is missing (before|after) this record$/.exec(dropped.note) ?? [];
      const ids = listIds(dropped.copy);
      expect(ids[dropped.record]).toBeTypeOf("number");
      ids.splice(dropped.record + (side === "after" ? 1 : 0), 0, Number(missing));
      expect(ids).toEqual(listIds(PAGE));

      const swapped = change({ rows: "swap" }, random);
      const [first, second] = swapped.copy.results.splice(swapped.record, 2);
      swapped.copy.results.splice(swapped.record, 0, second!, first!);
      expect(listIds(swapped.copy)).toEqual(listIds(PAGE));
    }
  });
});

describe("grow", () => {
  const fetchAt = (seconds: number, target: string) => {
    setTime(seconds * 1_000);
    return fetch(`${target}&prefer=grow=20/s`);
  };

  test("adds newer records, and changes the entity-tag with their number", async () => {
    const responses = [];
    for (const seconds of [0.2, 0.2, 0.7]) responses.push(await fetchAt(seconds, getTarget(1)));
    const [first, same, later] = responses.map(({ headers }) => headers.get("etag"));
    expect([same === first, later === first]).toEqual([true, false]);
    const [firstPage, , laterPage] = await Promise.all(responses.map((response) => response.json()));
    expect(Object(laterPage).count - Object(firstPage).count).toBe(10);
    expect(Object(laterPage).results[10]).toEqual(Object(firstPage).results[0]);
  });

  test("shows a page that existed when its request came, although the growth starts over during its delay", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.UTC(2030, 0, 1) + 9_950 });
    const delayed = fetch(`${getTarget(LAST_PAGE)}&prefer=grow=20/s,delay=1000`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await delayed).status).toBe(200);
    expect((await fetchAt(10.95, getTarget(LAST_PAGE))).status).toBe(404);
  });

  test("hides the pages that the collection does not have yet", async () => {
    const { count } = Object(await (await fetchAt(1, getTarget("last"))).json());
    const page = Math.ceil(count / 15) + 1;
    const body = /page=last&amp;[^>]*>Show the last page/;
    await checkExchanges(
      fetch,
      { request: getTarget(page) },
      prefer("grow=20/s", `${getTarget(page)}&x=1`, {
        requestHeaders: { Accept: "text/html" },
        status: 404,
        body,
      }),
    );
  });
});
