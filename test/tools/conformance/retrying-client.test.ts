import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CheckReport, checkConformance } from "../../../tools/conformance/check.ts";
import { createRetryingClient } from "../../../tools/conformance/retrying-client.ts";
import { pageOf } from "./changes.ts";
import { createOwnService, makeCollection } from "./own-service.ts";

const URL = "http://counts.example/";

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());

/** Sends a request, with a clock that goes on by itself. Returns the times of the attempts, in seconds. */
async function send(respond: (attempt: number) => Response | Promise<Response>, once = false) {
  const start = Date.now();
  const attempts: number[] = [];
  const client = createRetryingClient({
    fetch: async () => respond(attempts.push((Date.now() - start) / 1_000)),
  });
  const reply = (once ? client.sendOnce(URL) : client.send(URL)).catch(({ message }) => ({
    failure: message,
  }));
  await vi.runAllTimersAsync();
  return { ...(await reply), attempts, end: (Date.now() - start) / 1_000 };
}

const fail = (status: number, headers = {}) => new Response("{}", { status, headers });
const never = () => new Promise<Response>(() => {});

describe("an attempt is repeated", () => {
  test.each([429, 500, 502, 503, 520])("after the status %i, with a growing wait", async (status) => {
    const { attempts, ...reply } = await send((attempt) => (attempt < 4 ? fail(status) : new Response("ok")));
    expect(attempts).toEqual([0, 1, 3, 7]);
    expect(reply).toMatchObject({ status: 200, body: new TextEncoder().encode("ok") });
  });

  test("when Retry-After says, after a minute at most", async () => {
    const waits = ["7", "0", new Date(Date.now() + 20_000).toUTCString(), "86400"];
    const { attempts } = await send((attempt) => {
      const wait = waits[attempt - 1];
      return wait === undefined ? new Response("ok") : fail(429, { "Retry-After": wait });
    });
    expect(attempts).toEqual([0, 7, 7, expect.closeTo(20, 0), expect.closeTo(80, 0)]);
  });

  test("after a cut body, a closed connection, or 30 seconds without a response", async () => {
    const cut = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
    const problems = [() => new Response(cut), () => Promise.reject(new TypeError("fetch failed")), never];
    const reply = await send((attempt) => problems[attempt - 1]?.() ?? new Response("ok"));
    expect(reply).toMatchObject({ status: 200, attempts: [0, 1, 3, 37] });
  });
});

describe("after the last attempt", () => {
  test("the reply has the status and the failure", async () => {
    expect(await send(() => fail(503))).toMatchObject({
      status: 503,
      failure: "returned 503",
      attempts: { length: 5 },
    });
  });

  test("429 is an error that ends the check", async () => {
    expect(await send(() => fail(429))).toMatchObject({
      failure: `${URL} returned 429.`,
      attempts: { length: 5 },
    });
  });

  test("the cause of a failed connection is named", async () => {
    const cause = new AggregateError([new Error("no route")], "several");
    const { failure } = await send(() => Promise.reject(new TypeError("fetch failed", { cause })));
    expect(failure).toBe("could not be read (no route)");
  });
});

test("a request that is sent once ends after 10 seconds", async () => {
  expect(await send(never, true)).toMatchObject({
    failure: "did not respond in time",
    attempts: [0],
    end: 10,
  });
});

test("redirects are not followed", async () => {
  const redirect = new Response(null, { status: 302, headers: { Location: "/other" } });
  expect(await send(() => redirect)).toMatchObject({ status: 302, attempts: [0] });
});

test("after three pages that keep failing, the others are requested once, and the walk goes on", async () => {
  const service = await createOwnService(makeCollection(150));
  const requests: string[] = [];
  const isFailing = (request: Request) => /page=\d*[02468]$/.test(request.url) && pageOf(request) !== "0";
  const check = checkConformance(`${URL}api/tf1/records/`, {
    async fetch(request) {
      requests.push(`${request.method} ${pageOf(request)}`);
      return isFailing(request) ? fail(500) : service.fetch(request);
    },
  });
  await vi.runAllTimersAsync();
  const report: CheckReport = await check;
  const times = ["2", "4", "6", "8"].map((page) => requests.filter((one) => one === `GET ${page}`).length);
  expect(times).toEqual([5, 5, 5, 1]);
  const broken = report.rules.filter(({ verdict }) => verdict === "fail");
  expect(broken).toEqual([expect.objectContaining({ rule: "List records.status", broken: 5 })]);
  expect(report).toMatchObject({ pages: 5, records: 75, retries: 12, stopped: null });
});
