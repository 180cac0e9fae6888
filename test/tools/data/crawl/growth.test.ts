import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { makeRecords } from "../../../records/sample.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { linesOf, newFile, runCrawl } from "./run-crawl.ts";

const ALL = makeRecords(2_000);

const growthStep = fc.record({ at: fc.integer({ min: 0, max: 25 }), by: fc.integer({ min: 1, max: 47 }) });

/** A collection, how it is read, and when it grows by how much. The delays make requests overtake each other. */
const scenario = fc.record({
  count: fc.integer({ min: 0, max: 160 }),
  concurrency: fc.integer({ min: 1, max: 16 }),
  growth: fc.array(growthStep, { maxLength: 12 }),
  requestDelays: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 7 }),
  responseDelays: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 7 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

async function runScenario<T>(
  { count, growth, requestDelays, responseDelays }: Omit<Scenario, "concurrency">,
  body: (service: FakeService, expected: () => string[]) => Promise<T>,
): Promise<T> {
  const service = await startFakeService(ALL.slice(0, count));
  let start: number | undefined;
  service.onRequest = async ({ index }) => {
    const wait = requestDelays[index % requestDelays.length]!;
    if (wait > 0 && index > 0) await setTimeout(wait);
    for (const { at, by } of growth) if (at === index) grow(service, by);
    return undefined;
  };
  service.changeEnvelope = (envelope) => {
    start ??= Number(envelope.count);
    return envelope;
  };
  service.onResponse = ({ index }) => {
    const wait = responseDelays[index % responseDelays.length]!;
    return wait > 0 ? setTimeout(wait) : undefined;
  };
  try {
    return await body(service, () => linesOf(ALL.slice(0, start)));
  } finally {
    await service.close();
  }
}

function grow(service: FakeService, by: number): void {
  service.records = ALL.slice(0, service.records.length + by);
}

test("every record that exists at the start is copied once, however the collection grows", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, ({ concurrency, ...scenario }) =>
      runScenario(scenario, async (service, expected) => {
        const { lines, error } = await runCrawl(service.origin, { concurrency });
        expect(error).toBeUndefined();
        expect(lines).toEqual(expected());
      }),
    ),
    { numRuns: 120 },
  );
});

test("each record is copied once even if the crawl is interrupted several times during growth", async () => {
  const stops = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(scenario, stops, (scenario, stops) =>
      runScenario(scenario, async (service, expected) => {
        const out = newFile();
        const onRequest = service.onRequest;
        for (const after of stops) {
          const stop = new AbortController();
          const last = service.requests.length + after;
          service.onRequest = (request) => {
            if (request.index >= last) stop.abort();
            return onRequest(request);
          };
          const { error } = await runCrawl(
            service.origin,
            { out, concurrency: scenario.concurrency },
            { signal: stop.signal },
          );
          if (error === undefined) break;
          grow(service, after);
        }
        const { lines, error } = await runCrawl(service.origin, { out, concurrency: scenario.concurrency });
        expect([
          undefined,
          `${out} already exists and is not an unfinished crawl. Use --restart to replace it.`,
        ]).toContain(error);
        expect(lines).toEqual(expected());
      }),
    ),
    { numRuns: 60 },
  );
});

test("pages are read again if the collection grew between the count and the selection", async () => {
  const between = fc.array(
    fc.record({ at: fc.integer({ min: 1, max: 12 }), by: fc.integer({ min: 1, max: 40 }) }),
    {
      minLength: 1,
      maxLength: 2,
    },
  );
  await fc.assert(
    fc.asyncProperty(between, fc.integer({ min: 1, max: 4 }), async (between, concurrency) => {
      const service = await startFakeService(ALL.slice(0, 130));
      service.onSelect = ({ index }) => {
        for (const { at, by } of between) if (at === index) grow(service, by);
      };
      const { lines, error } = await runCrawl(service.origin, { concurrency });
      await service.close();
      expect(error).toBeUndefined();
      expect(lines).toEqual(linesOf(ALL.slice(0, 130)));
    }),
    { numRuns: 60 },
  );
});

test("the summary says how many records were added during the crawl", async () => {
  const { printed } = await runScenario(
    { count: 40, growth: [{ at: 2, by: 7 }], requestDelays: [0], responseDelays: [0] },
    (service) => runCrawl(service.origin),
  );
  expect(printed.join()).toMatch(
    /^Copied 40 records to .*\. Pages read: \d\. Retries: 0\. Records added during the crawl, not copied: 7\.$/,
  );
});

test("without growth, each page is read once, and page 1 again at the end", async () => {
  const service = await startFakeService(ALL.slice(0, 100));
  await runCrawl(service.origin, { concurrency: 3 });
  await service.close();
  expect(service.requests.map(({ page }) => page).sort()).toEqual([1, 1, 2, 3, 4, 5, 6, 7]);
});

test("growth that is faster than the crawl ends with an error", async () => {
  const service = await startFakeService(ALL.slice(0, 30));
  service.onRequest = ({ index }) => ({
    body: JSON.stringify({ count: 1_000 + index * 100, results: ALL.slice(0, 15) }),
  });
  const { error } = await runCrawl(service.origin);
  await service.close();
  expect(error).toMatch(
    /^The collection grows faster than its pages can be read\. .*\n.* contains 15 of 1000 records\. Run the same/,
  );
});

test("--from-page counts pages as they are when the crawl begins", async () => {
  const { lines, error } = await runScenario(
    { count: 100, growth: [{ at: 1, by: 22 }], requestDelays: [0], responseDelays: [0] },
    (service) => runCrawl(service.origin, { fromPage: 3, concurrency: 2 }),
  );
  expect(error).toBeUndefined();
  expect(lines).toEqual(linesOf(ALL.slice(0, 70)));
});

test("--from-page after the last page is an error", async () => {
  const { error } = await runScenario(
    { count: 30, growth: [], requestDelays: [0], responseDelays: [0] },
    (service) => runCrawl(service.origin, { fromPage: 3 }),
  );
  expect(error).toMatch(/page=3 does not exist: the last page is 2$/);
});

test("another page size is reported, and makes no difference to the records", async () => {
  const service = await startFakeService(ALL.slice(0, 95), 20);
  service.onRequest = ({ index }) => {
    if (index === 2) grow(service, 33);
    return undefined;
  };
  const { lines, warned, error } = await runCrawl(service.origin, { concurrency: 2 });
  await service.close();
  expect(lines).toEqual(linesOf(ALL.slice(0, 95)));
  expect(warned[0]).toMatch(/page=1: results contains 20 records instead of 15$/);
  expect(error).toMatch(/^Found \d problems\. The records were copied unchanged\.$/);
});
