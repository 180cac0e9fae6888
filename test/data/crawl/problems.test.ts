import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { copy } from "./copy.ts";
import { type Service, startService } from "./service.ts";

const RECORDS = makeRecords(40);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

/** The tenth record of page 2. */
const BROKEN = 15;
const BEFORE = RECORDS[BROKEN]!;
const ID = BEFORE.id;
const NEWER = RECORDS[BROKEN + 1]!;

test.each<[string, unknown, string[]]>([
  ["a field of another type", { cars: "many" }, ['cars "many" is not a whole number, 0 or greater']],
  ["a field too many", { color: "red" }, ["color is not a field of a record"]],
  ["a field too few", { buses: undefined }, ["buses is missing"]],
  ["another model", { model_name: "tf2" }, ['model_name "tf2" is not "tf1"']],
  [
    "False with counts",
    { camera_ok: "False", cars: 3 },
    ['camera_ok "False" requires counts of 0, but cars is 3'],
  ],
  [
    "a later time than before",
    { timestamp: "2031-01-01T00:00:00Z" },
    [`timestamp "2031-01-01T00:00:00Z" is later than that of the record before, ${NEWER.timestamp}`],
  ],
  [
    "another ref of a camera",
    { camera_ref: "z9" },
    [
      `camera_ref "z9" is not the camera_ref of camera_pk ${BEFORE.camera_pk}, which is "${BEFORE.camera_ref}" before`,
    ],
  ],
])("%s is told, and copied as it came", async (_, fields, expected) => {
  const broken = { ...RECORDS[BROKEN]!, ...Object(fields) };
  service.records = RECORDS.with(BROKEN, broken);
  const { lines, warned, error, printed } = await copy(service.origin);
  const place = `${service.origin}/api/tf1/records/?format=api&page=2 record ${ID}`;
  expect(warned).toEqual(expected.map((message) => `${place}: ${message}`));
  expect(lines[40 - 1 - BROKEN]).toBe(JSON.stringify(broken));
  expect(lines).toHaveLength(40);
  expect(printed).toHaveLength(1);
  expect(error).toBe("1 problem. The records were copied as they came.");
});

test("an id that is not unique is told, and copied as it came", async () => {
  service.records = RECORDS.with(BROKEN, { ...RECORDS[BROKEN]!, id: RECORDS[35]!.id });
  const { lines, warned } = await copy(service.origin);
  expect(warned).toEqual([expect.stringMatching(/page=2 record (\d+): id \1 already stands before$/)]);
  expect(lines).toHaveLength(40);
});

/** The record at the end of page 2, whose timestamp another one of page 3 has. */
const LAST = 10;

test("a second record of a camera at one time is told, also where the copy went on, and the id of the same one is enough", async () => {
  const { timestamp, camera_pk, camera_ref } = RECORDS[LAST]!;
  const again = { ...RECORDS[LAST - 1]!, timestamp, camera_pk, camera_ref };
  const twice = RECORDS[3]!;
  service.records = RECORDS.with(LAST - 1, again).with(2, twice);
  service.onAsk = ({ page, attempt }) => (page === 3 && attempt === 1 ? { status: 403 } : undefined);
  const stopped = await copy(service.origin);
  expect([stopped.warned, stopped.error]).toEqual([[], expect.stringContaining("answered 403")]);
  const { warned, error } = await copy(service.origin, { out: stopped.out });
  expect(warned).toEqual([
    expect.stringMatching(
      `page=3 record ${again.id}: timestamp "${timestamp}" already stands for camera "${camera_ref}" before$`,
    ),
    expect.stringMatching(/page=3 record \d+: id \d+ already stands before$/),
  ]);
  expect(error).toMatch(/^2 problems\./);
});

test.each([null, 17, "record", [[]]])("%j in place of a record is told, and not copied", async (value) => {
  service.records = RECORDS.with(BROKEN, value as never);
  const { lines, warned } = await copy(service.origin);
  expect(warned).toEqual([expect.stringMatching(/page=2 result 10: .* is not a record$/)]);
  expect(lines).toHaveLength(39);
});

const PAGE_3 = "format=api&page=3";
test.each<[string, (envelope: Record<string, unknown>) => unknown, RegExp]>([
  ["a field too many", (page) => ({ ...page, facets: [] }), /page=2: facets is not a field of an envelope$/],
  ["no next", ({ next: _, ...page }) => page, /page=2: next is missing$/],
  ["next null before the end", (page) => ({ ...page, next: null }), /next null is not http:.*page=3$/],
  [
    "next to another page",
    (page) => ({ ...page, next: page.previous }),
    /next "http:.* is not http:.*page=3$/,
  ],
  [
    "next without format",
    (page) => ({ ...page, next: String(page.next).replace("format=api&", "") }),
    /next /,
  ],
  [
    "next of another host",
    (page) => ({ ...page, next: `http://a.test/api/tf1/records/?${PAGE_3}` }),
    /next /,
  ],
  ["a relative next", (page) => ({ ...page, next: `/api/tf1/records/?${PAGE_3}` }), /next /],
  ["no previous page", (page) => ({ ...page, previous: null }), /previous null is not http:.*page=1$/],
  [
    "too few records",
    (page) => ({ ...page, results: (page.results as unknown[]).slice(0, 14) }),
    /page=2: results holds 14 records instead of 15$/,
  ],
])("an envelope with %s is told", async (_, alter, expected) => {
  service.alter = (envelope, { page }) => (page === 2 ? alter(envelope) : envelope);
  const { warned, error, lines } = await copy(service.origin);
  expect(warned).toEqual([expect.stringMatching(expected)]);
  expect(error).toMatch(/^1 problem\./);
  expect(lines.length).toBeGreaterThanOrEqual(39);
});

test("the parameters of a link may be in another order", async () => {
  service.alter = (envelope) => ({
    ...envelope,
    next: String(envelope.next).replace(/format=api&(page=\d+)/, "$1&format=api"),
  });
  expect((await copy(service.origin)).warned).toEqual([]);
});

test("twenty problems are told, and all are counted", async () => {
  service.records = RECORDS.map((record) => ({ ...record, cars: -1 }));
  const { warned, error, lines } = await copy(service.origin);
  expect(warned).toHaveLength(20);
  expect(error).toBe("40 problems, the first 20 of which are told. The records were copied as they came.");
  expect(lines).toHaveLength(40);
});
