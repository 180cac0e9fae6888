import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { copy, linesOf } from "./copy.ts";
import { type Service, startService } from "./service.ts";

const RECORDS = makeRecords(100);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

describe("requests", () => {
  test("carry what the links of the first page add, also where the copy goes on", async () => {
    const link = (value: unknown) => value && `${value}&token=a%26b&token=c`;
    service.alter = (envelope) => ({
      ...envelope,
      next: link(envelope.next),
      previous: link(envelope.previous),
    });
    service.onAsk = ({ page, url }) => {
      if (page === 4 && service.asked.filter((asked) => asked.page === 4).length === 1)
        return { status: 401 };
      return page === 1 || url.endsWith("&token=a%26b&token=c") ? undefined : { status: 403 };
    };
    const { out, error } = await copy(service.origin);
    expect(error).toContain("page=4&token=a%26b&token=c returned 401");
    expect(await copy(service.origin, { out })).toMatchObject({
      lines: linesOf(RECORDS),
      warned: [],
      error: undefined,
    });
  });

  test("carry nothing from a link that leads elsewhere", async () => {
    const elsewhere = "http://a.test/api/tf1/records/?format=api&page=2&token=abc";
    service.alter = (envelope, { page }) => (page === 1 ? { ...envelope, next: elsewhere } : envelope);
    await copy(service.origin);
    expect(service.asked.filter(({ url }) => url.includes("token"))).toEqual([]);
  });

  test("ask for JSON, say who asks, and name format and page", async () => {
    await copy(`${service.origin}/api/tf1/records?page=5`);
    expect(service.asked[0]).toMatchObject({
      url: "/api/tf1/records/?format=api&page=1",
      headers: { accept: "application/json", "user-agent": expect.stringContaining("traffic-count-records") },
    });
  });

  test("are as many at a time as --concurrency says", async () => {
    service.onSend = () => setTimeout(5);
    await copy(service.origin);
    expect(service.mostOpen).toBe(1);
    await copy(service.origin, { concurrency: 4 });
    expect(service.mostOpen).toBe(4);
  });

  test("begin as far apart as --delay says", async () => {
    await copy(service.origin, { delay: 40, concurrency: 4 });
    const [first, last] = [service.asked[0]!, service.asked.at(-1)!];
    expect(last.at - first.at).toBeGreaterThan(40 * (service.asked.length - 1) - 20);
  });

  test("follow a redirect on the same host, the next ones where it led", async () => {
    const other = await startService([]);
    other.onAsk = ({ url }) => ({ status: 308, headers: { Location: service.origin + url } });
    const { lines, error } = await copy(other.origin);
    await other.close();
    expect([error, lines]).toEqual([undefined, linesOf(RECORDS)]);
    expect(other.asked).toHaveLength(1);
  });
});
