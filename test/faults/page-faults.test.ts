import { describe, expect, test, vi } from "vitest";
import type { OptionValue, OptionValues } from "../../src/faults/option-table.ts";
import { type ChangedPage, changePage, type PageChange } from "../../src/faults/page-faults.ts";
import type { Page } from "../../src/records/schema.ts";
import { checkExchanges } from "../support/exchange.ts";
import { makeRecords } from "../support/sample-records.ts";
import { fetch, getTarget, LAST_PAGE, PAGE_2, prefer, setTime } from "./faults-service.ts";

/** Changes a copy of a page. Returns the changes as the list of requests has them, and the page that a client gets. */
function change(options: OptionValues, page: Page, random: number) {
  const sent = structuredClone(page);
  const changes = changePage(sent, options, () => random);
  const asJson: { changes: PageChange[]; sent: ChangedPage } = JSON.parse(JSON.stringify({ changes, sent }));
  expect(changes).toStrictEqual(asJson.changes);
  return asJson;
}

const EMPTY: Page = { count: 0, next: null, previous: null, results: [] };
const createPage = (count: number) => ({ ...EMPTY, count, results: makeRecords(count).reverse() });
const PAGE = createPage(15);
/** Random numbers that choose each record, and each count of a record. */
const CHOICES = Array.from({ length: 90 }, (_, index) => (index + 0.5) / 90);

const URL_WITHOUT_PAGE = "https://counts.example/api/tf1/records/?format=api&page=";

// biome-ignore format: a table of cases
test.each<[prefer: string, changes: Partial<Page>]>([
  ["count=+1", { count: 401 }],
  ["next=null", { next: null }],
  ["next=loop", { next: `${URL_WITHOUT_PAGE}2` }],
  ["next=skip", { next: `${URL_WITHOUT_PAGE}4` }],
  ["rows=drop, count=+2, next=null, record=extra, seed=3", { count: 402, next: null, results: expect.objectContaining({ length: 14 }) }],
])("%s changes a page", async (text, changes) => {
  const page = await (await fetch(PAGE_2)).json();
  await checkExchanges(fetch, prefer(text, PAGE_2, { body: Object.assign(page, changes) }));
});

// Of 5 records, the first two have different timestamps, and of 4 records none.
test.each<[OptionValue<"rows">, count: number, ids: number[]]>([
  ["swap", 5, [1, 0, 2, 3, 4]],
  ["swap", 4, [0, 1, 2, 3]],
  ["repeat", 4, [0, 1, 2, 2]],
  ["repeat", 1, [0]],
  ["drop", 4, [0, 1, 2]],
  ["drop", 1, []],
])("rows=%s sends, of %i records, those at %j", (rows, count, expected) => {
  const page = createPage(count);
  const { sent } = change({ rows }, page, 0.9);
  expect(sent.results.map(({ id }) => page.results.findIndex((one) => one.id === id))).toEqual(expected);
});

test.each<[OptionValue<"record">, number, RegExp]>([
  ["float", 90, /^\d+ [a-z]+ \d+\.5$/],
  ["null", 90, /^\d+ [a-z]+ null$/],
  ["missing", 90, /^\d+ [a-z]+ undefined$/],
  ["extra", 15, /^\d+ vans 0$/],
  ["offset", 15, /^\d+ timestamp [\dT:-]+\+00:00$/],
])("record=%s changes one field of a record, out of %i fields of the page", (value, count, expected) => {
  const fields = CHOICES.map((random) => {
    const { changes } = change({ record: value }, PAGE, random);
    return changes.map(({ record, field, to }) => `${record} ${field} ${to}`);
  });
  for (const changed of fields) expect(changed).toEqual([expect.stringMatching(expected)]);
  expect(new Set(fields.flat()).size).toBe(count);
});

/** Takes back the changes of a page, the last one first. */
function undo(changes: PageChange[], sent: ChangedPage, page: Page): unknown {
  const { results, ...members } = structuredClone(sent);
  const records: object[] = results;
  const restored: Record<string, unknown> = members;
  const findRecord = (wanted: unknown) => page.results.find(({ id }) => id === wanted)!;
  for (const { option, record = 0, id, field = "", from, to } of changes.toReversed()) {
    const target = record === 0 ? restored : Object(records[record - 1]);
    if (id !== undefined) expect(target.id, "the record has the number and the id of the change").toBe(id);
    if (option === "rows") records.splice(record - 1, to === undefined ? 0 : 1, findRecord(from));
    else if (from === undefined) delete target[field];
    else target[field] = from;
  }
  return { ...restored, results: records };
}

const ROWS = ["repeat", "drop", "swap", undefined] as const;
const RECORD = ["float", "null", "missing", "extra", "offset", undefined] as const;
const NEXT = ["loop", "null", "skip", undefined] as const;

test.each(ROWS.flatMap((rows) => RECORD.map((record) => ({ rows, record }))))(
  "the list of changes tells what was and what is sent: %j",
  (options) => {
    const page = { ...PAGE, next: `${URL_WITHOUT_PAGE}3` };
    for (const [index, random] of CHOICES.entries()) {
      const all = { ...options, next: NEXT[index % 4], count: index % 2 === 0 ? -1 : undefined };
      const { changes, sent } = change(all, page, random);
      for (const { option, record = 0, field = "id", to } of changes) {
        const target = record === 0 ? sent : sent.results[record - 1];
        if (!(option === "rows" && to === undefined)) expect(Object(target)[field]).toEqual(to);
      }
      expect(undo(changes, sent, page)).toEqual(page);
    }
  },
);

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
});
