import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRecords } from "../../../records/sample.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { linesOf, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(40);

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS);
});
afterEach(() => service.close());

/** The tenth record of page 2. */
const BROKEN = 15;
const BEFORE = RECORDS[BROKEN]!;
const ID = BEFORE.id;
const NEWER = RECORDS[BROKEN + 1]!;

test.each<[string, unknown, string[]]>([
  ["a field of the wrong type", { cars: "many" }, ['cars "many" is not a whole number, 0 or greater']],
  ["an unknown field", { color: "red" }, ["color is not a field of a record"]],
  ["a missing field", { buses: undefined }, ["buses is missing"]],
  ["another model", { model_name: "tf2" }, ['model_name "tf2" is not "tf1"']],
  [
    "False with counts",
    { camera_ok: "False", cars: 3 },
    ['camera_ok "False" requires counts of 0, but cars is 3'],
  ],
  [
    "a later timestamp than the record before",
    { timestamp: "2031-01-01T00:00:00Z" },
    [
      `timestamp "2031-01-01T00:00:00Z" is later than the timestamp of the record before it, ${NEWER.timestamp}`,
    ],
  ],
  [
    "another camera_ref of a camera",
    { camera_ref: "z9" },
    [
      `camera_ref "z9" differs from "${BEFORE.camera_ref}", the camera_ref of camera_pk ${BEFORE.camera_pk} in previous records`,
    ],
  ],
])("%s is reported, and the record is copied unchanged", async (_, fields, expected) => {
  const broken = { ...RECORDS[BROKEN]!, ...Object(fields) };
  service.records = RECORDS.with(BROKEN, broken);
  const { lines, warned, error, printed } = await runCrawl(service.origin);
  const place = `${service.origin}/api/tf1/records/?format=api&page=2 record ${ID}`;
  expect(warned).toEqual(expected.map((message) => `${place}: ${message}`));
  expect(lines[40 - 1 - BROKEN]).toBe(JSON.stringify(broken));
  expect(lines).toHaveLength(40);
  expect(printed).toHaveLength(1);
  expect(error).toBe("Found 1 problem. The records were copied unchanged.");
});

test("an id that is not unique is reported, and the record is copied unchanged", async () => {
  service.records = RECORDS.with(BROKEN, { ...RECORDS[BROKEN]!, id: RECORDS[35]!.id });
  const { lines, warned } = await runCrawl(service.origin);
  expect(warned).toEqual([
    expect.stringMatching(/page=2 record (\d+): id \1 is the id of a previous record$/),
  ]);
  expect(lines).toHaveLength(40);
});

test("a repeated id in the only record of the last page is reported", async () => {
  const records = makeRecords(31);
  service.records = records.with(0, { ...records[0]!, id: records[20]!.id });
  const { lines, warned, error } = await runCrawl(service.origin);
  expect(warned).toEqual([
    expect.stringMatching(/page=3 record (\d+): id \1 is the id of a previous record$/),
  ]);
  expect(lines).toEqual(linesOf(service.records));
  expect(error).toMatch(/^Found 1 problem\./);
});

/** The last record of page 2. A record on page 3 gets the same timestamp. */
const LAST = 10;

test("a second record of a camera at the same time is reported, even after a resume; a repeated record is reported once", async () => {
  const { timestamp, camera_pk, camera_ref } = RECORDS[LAST]!;
  const sameTime = { ...RECORDS[LAST - 1]!, timestamp, camera_pk, camera_ref };
  const repeated = RECORDS[3]!;
  service.records = RECORDS.with(LAST - 1, sameTime).with(2, repeated);
  service.onRequest = ({ page, attempt }) => (page === 3 && attempt === 1 ? { status: 403 } : undefined);
  const interrupted = await runCrawl(service.origin);
  expect([interrupted.warned, interrupted.error]).toEqual([[], expect.stringContaining("returned 403")]);
  const { warned, error } = await runCrawl(service.origin, { out: interrupted.out });
  expect(warned).toEqual([
    expect.stringMatching(
      `page=3 record ${sameTime.id}: timestamp "${timestamp}" is the timestamp of a previous record of camera "${camera_ref}"$`,
    ),
    expect.stringMatching(/page=3 record \d+: id \d+ is the id of a previous record$/),
  ]);
  expect(error).toMatch(/^Found 2 problems\./);
});

test.each([null, 17, "record", [[]]])(
  "%j in place of a record is reported, and not copied",
  async (value) => {
    service.records = RECORDS.with(BROKEN, value as never);
    const { lines, warned } = await runCrawl(service.origin);
    expect(warned).toEqual([expect.stringMatching(/page=2 result 10: .* is not a record$/)]);
    expect(lines).toHaveLength(39);
  },
);

const PAGE_3 = "format=api&page=3";
test.each<[string, (envelope: Record<string, unknown>) => unknown, RegExp]>([
  ["an unknown field", (page) => ({ ...page, facets: [] }), /page=2: facets is not a field of an envelope$/],
  ["no next", ({ next: _, ...page }) => page, /page=2: next is missing$/],
  [
    "next null before the end",
    (page) => ({ ...page, next: null }),
    /page=2: next null should be http:.*page=3$/,
  ],
  [
    "next to another page",
    (page) => ({ ...page, next: page.previous }),
    /page=2: next "http:[^"]*page=1" should be http:.*page=3$/,
  ],
  [
    "next without format",
    (page) => ({ ...page, next: String(page.next).replace("format=api&", "") }),
    /page=2: next "http:[^"]*\/\?page=3" should be http:.*\?format=api&page=3$/,
  ],
  [
    "next of another host",
    (page) => ({ ...page, next: `http://a.test/api/tf1/records/?${PAGE_3}` }),
    /page=2: next "http:\/\/a\.test\/[^"]*" should be http:.*page=3$/,
  ],
  [
    "a relative next",
    (page) => ({ ...page, next: `/api/tf1/records/?${PAGE_3}` }),
    /page=2: next "\/api\/[^"]*" should be http:.*page=3$/,
  ],
  [
    "no previous page",
    (page) => ({ ...page, previous: null }),
    /page=2: previous null should be http:.*page=1$/,
  ],
  [
    "too few records",
    (page) => ({ ...page, results: (page.results as unknown[]).slice(0, 14) }),
    /page=2: results contains 14 records instead of 15$/,
  ],
])("an envelope with %s is reported", async (_, change, expected) => {
  service.changeEnvelope = (envelope, { page }) => (page === 2 ? change(envelope) : envelope);
  const { warned, error, lines } = await runCrawl(service.origin);
  expect(warned).toEqual([expect.stringMatching(expected)]);
  expect(error).toMatch(/^Found 1 problem\./);
  expect(lines.length).toBeGreaterThanOrEqual(39);
});

test("the parameters of a link may be in another order", async () => {
  service.changeEnvelope = (envelope) => ({
    ...envelope,
    next: String(envelope.next).replace(/format=api&(page=\d+)/, "$1&format=api"),
  });
  expect((await runCrawl(service.origin)).warned).toEqual([]);
});

test("the first 20 problems are reported, and all are counted", async () => {
  service.records = RECORDS.map((record) => ({ ...record, cars: -1 }));
  const { warned, error, lines } = await runCrawl(service.origin);
  expect(warned).toHaveLength(20);
  expect(error).toBe("Found 40 problems (only the first 20 are shown). The records were copied unchanged.");
  expect(lines).toHaveLength(40);
});
