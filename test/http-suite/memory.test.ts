import { describe, expect, test, vi } from "vitest";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { check, type Target } from "./exchange.ts";
import { checkTarget, describeService, listExchanges } from "./suite.ts";

async function openTarget(count: number | undefined): Promise<Target> {
  const records = makeRecords(count ?? 0);
  const service = await createMemoryService(count === undefined ? undefined : records);
  const { origin, fetch } = service;
  return { origin, fetch, hasFiles: false, count: records.length, records: records.reverse() };
}

describe.each([100, 15, 0, undefined])("in memory, with %s records,", async (count) => {
  describeService(await openTarget(count));
});

test("health has no load if nothing was ever loaded", async () => {
  const { fetch } = await openTarget(undefined);
  const state = { load: null, count: 0, loaded_at: null, age_seconds: null };
  await check(fetch, {
    send: "/healthz",
    body: expect.objectContaining({ state: expect.objectContaining(state) }),
  });
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
    let [count, requests] = [100, 0];
    const fetch: Target["fetch"] = async (path, init) => {
      if (requests++ % 4 === 0) service.load(makeRecords(++count));
      return service.fetch(path, init);
    };
    expect(await findFailures({ ...service, fetch, hasFiles: false, count })).toEqual([]);
    expect(count).toBeGreaterThan(120);
  });

  test("passes if all faults are switched off", async () => {
    const service = await createMemoryService(makeRecords(100), { settings: { FAULTS: "off" } });
    const target = { ...service, hasFiles: false, count: 100 };
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
