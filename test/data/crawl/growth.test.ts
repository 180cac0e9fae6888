import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { copy, linesOf, newFile } from "./copy.ts";
import { type Service, startService } from "./service.ts";

const ALL = makeRecords(2_000);

const moment = fc.record({ at: fc.integer({ min: 0, max: 25 }), by: fc.integer({ min: 1, max: 47 }) });

/** A collection, how it is read, and when it grows by how much; the times make requests overtake each other. */
const course = fc.record({
  count: fc.integer({ min: 0, max: 160 }),
  concurrency: fc.integer({ min: 1, max: 16 }),
  growth: fc.array(moment, { maxLength: 12 }),
  early: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 7 }),
  late: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 7 }),
});
type Course = typeof course extends fc.Arbitrary<infer T> ? T : never;

async function follow<T>(
  { count, growth, early, late }: Omit<Course, "concurrency">,
  body: (service: Service, start: () => string[]) => Promise<T>,
): Promise<T> {
  const service = await startService(ALL.slice(0, count));
  let start: number | undefined;
  service.onAsk = async ({ index }) => {
    const wait = early[index % early.length]!;
    if (wait > 0 && index > 0) await setTimeout(wait);
    for (const { at, by } of growth) if (at === index) grow(service, by);
    return undefined;
  };
  service.alter = (envelope) => {
    start ??= Number(envelope.count);
    return envelope;
  };
  service.onSend = ({ index }) => {
    const wait = late[index % late.length]!;
    return wait > 0 ? setTimeout(wait) : undefined;
  };
  try {
    return await body(service, () => linesOf(ALL.slice(0, start)));
  } finally {
    await service.close();
  }
}

function grow(service: Service, by: number): void {
  service.records = ALL.slice(0, service.records.length + by);
}

test("every record of the start is copied once, however the collection grows meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(course, ({ concurrency, ...course }) =>
      follow(course, async (service, start) => {
        const { lines, error } = await copy(service.origin, { concurrency });
        expect(error).toBeUndefined();
        expect(lines).toEqual(start());
      }),
    ),
    { numRuns: 120 },
  );
});

test("so it is if the crawl is stopped time and again, whatever grows in between", async () => {
  const stops = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(course, stops, (course, stops) =>
      follow(course, async (service, start) => {
        const out = newFile();
        const ask = service.onAsk;
        for (const after of stops) {
          const stop = new AbortController();
          const last = service.asked.length + after;
          service.onAsk = (asked) => {
            if (asked.index >= last) stop.abort();
            return ask(asked);
          };
          const { error } = await copy(
            service.origin,
            { out, concurrency: course.concurrency },
            { signal: stop.signal },
          );
          if (error === undefined) break;
          grow(service, after);
        }
        const { lines, error } = await copy(service.origin, { out, concurrency: course.concurrency });
        expect([
          undefined,
          `${out} exists already, and no crawl is to go on with it; --restart replaces it`,
        ]).toContain(error);
        expect(lines).toEqual(start());
      }),
    ),
    { numRuns: 60 },
  );
});

test("a service that counts first and selects after it has grown is not believed", async () => {
  const between = fc.array(
    fc.record({ at: fc.integer({ min: 1, max: 12 }), by: fc.integer({ min: 1, max: 40 }) }),
    {
      minLength: 1,
      maxLength: 2,
    },
  );
  await fc.assert(
    fc.asyncProperty(between, fc.integer({ min: 1, max: 4 }), async (between, concurrency) => {
      const service = await startService(ALL.slice(0, 130));
      service.onSelect = ({ index }) => {
        for (const { at, by } of between) if (at === index) grow(service, by);
      };
      const { lines, error } = await copy(service.origin, { concurrency });
      await service.close();
      expect(error).toBeUndefined();
      expect(lines).toEqual(linesOf(ALL.slice(0, 130)));
    }),
    { numRuns: 60 },
  );
});

test("says how many records are not in it", async () => {
  const { printed } = await follow(
    { count: 40, growth: [{ at: 2, by: 7 }], early: [0], late: [0] },
    (service) => copy(service.origin),
  );
  expect(printed.join()).toMatch(
    /^Copied 40 records to .*: \d pages read, 0 retries\. 7 that were added meanwhile are not among them\.$/,
  );
});

test("without growth each page is read once, and the first one again in the end", async () => {
  const service = await startService(ALL.slice(0, 100));
  await copy(service.origin, { concurrency: 3 });
  await service.close();
  expect(service.asked.map(({ page }) => page).sort()).toEqual([1, 1, 2, 3, 4, 5, 6, 7]);
});

test("growth that outruns the requests ends with an error", async () => {
  const service = await startService(ALL.slice(0, 30));
  service.onAsk = ({ index }) => ({
    body: JSON.stringify({ count: 1_000 + index * 100, results: ALL.slice(0, 15) }),
  });
  const { error } = await copy(service.origin);
  await service.close();
  expect(error).toMatch(
    /^The collection grows faster than it can be read\n.* holds 15 of 1000 records\. The same/,
  );
});

test("--from-page begins with the page as it is at the start", async () => {
  const { lines, error } = await follow(
    { count: 100, growth: [{ at: 1, by: 22 }], early: [0], late: [0] },
    (service) => copy(service.origin, { fromPage: 3, concurrency: 2 }),
  );
  expect(error).toBeUndefined();
  expect(lines).toEqual(linesOf(ALL.slice(0, 70)));
});

test("--from-page past the end is an error", async () => {
  const { error } = await follow({ count: 30, growth: [], early: [0], late: [0] }, (service) =>
    copy(service.origin, { fromPage: 3 }),
  );
  expect(error).toMatch(/page=3 does not exist: the last page is 2$/);
});

test("another page size is told, and makes no difference to the records", async () => {
  const service = await startService(ALL.slice(0, 95), 20);
  service.onAsk = ({ index }) => {
    if (index === 2) grow(service, 33);
    return undefined;
  };
  const { lines, warned, error } = await copy(service.origin, { concurrency: 2 });
  await service.close();
  expect(lines).toEqual(linesOf(ALL.slice(0, 95)));
  expect(warned[0]).toMatch(/page=1: results holds 20 records instead of 15$/);
  expect(error).toMatch(/^\d problems\. The records were copied as they came\.$/);
});
