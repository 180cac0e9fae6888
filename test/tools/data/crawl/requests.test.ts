import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeRecords } from "../../../records/sample.ts";
import { createInstantClock } from "../../http-client/instant-clock.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { linesOf, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(100);

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS);
});
afterEach(() => service.close());

describe("requests", () => {
  test("contain the query parameters that the links of page 1 add, even after a resume", async () => {
    const link = (value: unknown) => value && `${value}&token=a%26b&token=c`;
    service.changeEnvelope = (envelope) => ({
      ...envelope,
      next: link(envelope.next),
      previous: link(envelope.previous),
    });
    service.onRequest = ({ page, url }) => {
      if (page === 4 && service.requests.filter((request) => request.page === 4).length === 1)
        return { status: 401 };
      return page === 1 || url.endsWith("&token=a%26b&token=c") ? undefined : { status: 403 };
    };
    const { out, error } = await runCrawl(service.origin);
    expect(error).toContain("page=4&token=a%26b&token=c returned 401");
    expect(await runCrawl(service.origin, { out })).toMatchObject({
      lines: linesOf(RECORDS),
      warned: [],
      error: undefined,
    });
  });

  test("contain no query parameters of a link to another host", async () => {
    const elsewhere = "http://a.test/api/tf1/records/?format=api&page=2&token=abc";
    service.changeEnvelope = (envelope, { page }) =>
      page === 1 ? { ...envelope, next: elsewhere } : envelope;
    await runCrawl(service.origin);
    expect(service.requests.filter(({ url }) => url.includes("token"))).toEqual([]);
  });

  test("accept JSON, name the user agent, and contain format and page", async () => {
    await runCrawl(`${service.origin}/api/tf1/records?page=5`);
    expect(service.requests[0]).toMatchObject({
      url: "/api/tf1/records/?format=api&page=1",
      headers: { accept: "application/json", "user-agent": expect.stringContaining("traffic-count-records") },
    });
  });

  test("are never more at the same time than --concurrency", async () => {
    await runCrawl(service.origin);
    expect(service.maxOpen).toBe(1);
    // Holds back the pages after the first one until the maximum number of requests is open.
    service.onResponse = async ({ page }) => {
      while (page > 1 && service.maxOpen < 4) await setTimeout(1);
      await setTimeout(20);
    };
    await runCrawl(service.origin, { concurrency: 4 });
    expect(service.maxOpen).toBe(4);
  });

  test("start at least --delay apart", async () => {
    const { clock, waits } = createInstantClock();
    const times: number[] = [];
    service.onSelect = () => times.push(clock.now());
    await runCrawl(service.origin, { delay: 3_600_000, concurrency: 4 }, { clock });
    expect(times.length).toBeGreaterThanOrEqual(7);
    expect(waits.length).toBeGreaterThanOrEqual(times.length - 1);
    for (const [index, time] of times.entries())
      expect(time - times[0]!).toBeGreaterThanOrEqual(3_600_000 * index);
  });

  test("follow a redirect on the same host, and later requests are sent to its target", async () => {
    const other = await startFakeService([]);
    other.onRequest = ({ url }) => ({ status: 308, headers: { Location: service.origin + url } });
    const { lines, error } = await runCrawl(other.origin);
    await other.close();
    expect([error, lines]).toEqual([undefined, linesOf(RECORDS)]);
    expect(other.requests).toHaveLength(1);
  });
});
