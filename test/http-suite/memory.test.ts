import { describe, expect, test, vi } from "vitest";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { checkTarget, PATH, type Target } from "./exchange.ts";
import { describeService, listExchanges } from "./suite.ts";

async function openTarget(count: number | undefined): Promise<Target> {
  const records = makeRecords(count ?? 0);
  const service = await createMemoryService(count === undefined ? undefined : records);
  const { load } = (await service.store.readState()).state;
  const { origin, fetch } = service;
  return { origin, fetch, hasFiles: false, count: records.length, load, records: records.reverse() };
}

describe.each([100, 15, 0, undefined])("in memory, with %s records,", async (count) => {
  describeService(await openTarget(count));
});

const listAll = (target: Target) => listExchanges(target).flatMap(([, exchanges]) => exchanges);

test("HEAD has the status and the headers of GET, without a body, and no mistake of a client is logged", async () => {
  const log = vi.spyOn(console, "error");
  const target = await openTarget(100);
  for (const { send, with: headers = {} } of listAll(target).filter(({ send }) => send.startsWith("/"))) {
    const get = await target.fetch(send, { headers });
    const head = await target.fetch(send, { method: "HEAD", headers });
    expect(await head.text()).toBe("");
    expect([send, head.status, ...head.headers]).toEqual([send, get.status, ...get.headers]);
  }
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});

test("the entity-tag of a page changes with the number of records that are shown", async () => {
  let now = 200;
  const { fetch } = await createMemoryService(makeRecords(400), { now: () => now });
  const readTag = async () => (await fetch(PATH, { headers: { prefer: "grow=20/s" } })).headers.get("etag");
  const tag = await readTag();
  now += 1_000;
  expect(await readTag()).not.toBe(tag);
});

describe("for a deployment whose records are unknown, the suite", () => {
  /** The requests whose responses are wrong. */
  async function findFailures({ records: _, ...target }: Target): Promise<string[]> {
    const failures: string[] = [];
    for (const exchange of listAll(target))
      await checkTarget(target, exchange).catch(() => failures.push(exchange.send));
    return failures;
  }

  test("passes while loads replace the collection", async () => {
    const service = await createMemoryService(makeRecords(100));
    const { load } = (await service.store.readState()).state;
    let [count, requests] = [100, 0];
    const fetch: Target["fetch"] = async (path, init) => {
      if (requests++ % 5 === 0) service.load(makeRecords(++count));
      return service.fetch(path, init);
    };
    expect(await findFailures({ origin: service.origin, fetch, hasFiles: false, count: 100, load })).toEqual(
      [],
    );
    expect(count).toBeGreaterThan(120);
  });

  test("passes if all faults are switched off", async () => {
    const service = await createMemoryService(makeRecords(100), { settings: { FAULTS: "off" } });
    const { load } = (await service.store.readState()).state;
    const target = { ...service, hasFiles: false, count: 100, load };
    expect(await findFailures({ ...target, hasFaults: false })).toEqual([]);
    expect(await findFailures(target)).not.toEqual([]);
  });

  test.each<[string, (text: string) => string]>([
    ["a link leads to another host", (text) => text.replace("https://counts", "http://inside")],
    ["a count is too large", (text) => text.replace('{"count":100,', '{"count":101,')],
    ["there are spaces in the JSON", (text) => text.replace('"next":', '"next": ')],
    ["two fields have changed places", (text) => text.replace(/("id":\d+),("camera_pk":\d+)/, "$2,$1")],
    ["two records have changed places", (text) => text.replace(/(\{"id".*?\}),(\{.*?\})/, "$2,$1")],
    ["a record is missing", (text) => text.replace(/\{"id".*?\},/, "")],
  ])("fails if %s", async (_, change) => {
    const target = await openTarget(100);
    const fetch: Target["fetch"] = async (path, init) => {
      const response = await target.fetch(path, init);
      const text = await response.text();
      return new Response(text === "" ? null : change(text), response);
    };
    expect(await findFailures({ ...target, fetch })).not.toEqual([]);
  });
});
