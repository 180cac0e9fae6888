import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRetryingClient } from "../../../tools/conformance/retrying-client.ts";

const ADDRESS = "http://counts.example/";

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Sends requests with an automatic clock. Returns the times of the attempts, in seconds. */
async function send(
  respond: (attempt: number) => Response | Promise<Response>,
  { times = 1, retries = true } = {},
) {
  const start = Date.now();
  const attempts: number[] = [];
  vi.stubGlobal("fetch", async () => respond(attempts.push((Date.now() - start) / 1_000)));
  const client = createRetryingClient({});
  const sendAll = async () => {
    for (let sent = 1; sent < times; sent++) await client.send(ADDRESS);
    return client.send(ADDRESS, { method: retries ? "GET" : "DELETE" }, retries);
  };
  const ended = sendAll().catch(({ message }) => ({ status: "error", outcome: message }));
  const reply = ended.then((reply) => ({ ...reply, seconds: (Date.now() - start) / 1_000 }));
  await vi.runAllTimersAsync();
  return { ...(await reply), attempts };
}

const fail = (status: number, headers = {}) => new Response("{}", { status, headers });
const never = () => new Promise<Response>(() => {});

test.each([429, 500, 502, 503, 520])("the status %i is retried, with a growing wait", async (status) => {
  const reply = await send((attempt) => (attempt < 4 ? fail(status) : new Response("ok")));
  expect(reply).toMatchObject({ status: 200, body: new TextEncoder().encode("ok"), attempts: [0, 1, 3, 7] });
});

test("a retry waits for Retry-After, at most for a minute", async () => {
  const waits = ["7", "0", new Date(Date.now() + 20_000).toUTCString(), "86400"];
  const { attempts } = await send((attempt) => {
    const wait = waits[attempt - 1];
    return wait === undefined ? new Response("ok") : fail(429, { "Retry-After": wait });
  });
  expect(attempts).toEqual([0, 7, 7, expect.closeTo(20, 0), expect.closeTo(80, 0)]);
});

test("a cut body, a closed connection, and 30 seconds without a response are retried", async () => {
  const cut = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
  const problems = [() => new Response(cut), () => Promise.reject(new TypeError("fetch failed")), never];
  const reply = await send((attempt) => problems[attempt - 1]?.() ?? new Response("ok"));
  expect(reply).toMatchObject({ status: 200, attempts: [0, 1, 3, 37] });
});

const reject = (cause: Error) => Promise.reject(new TypeError("fetch failed", { cause }));
const fails = () => reject(new AggregateError([new Error("no route")], "several"));

test.each([
  ["503 stays", () => fail(503), 503, "returned 503", 5],
  ["429, which ends the check, stays", () => fail(429), "error", `${ADDRESS} returned 429.`, 5],
  ["a redirect is not followed", () => fail(302, { Location: "/" }), 302, "returned 302", 1],
  ["a connection fails", fails, 0, "could not be read (no route)", 5],
])("if %s, the reply shows it", async (_, respond, status, outcome, attempts) => {
  expect(await send(respond)).toMatchObject({ status, outcome, attempts: { length: attempts } });
});

test.each([
  [() => fail(500), 500, 0],
  [() => fail(429), 429, 0],
  [never, 0, 10],
])("a write request is sent once, with a timeout of 10 seconds", async (respond, status, seconds) => {
  const reply = await send(respond, { retries: false });
  expect(reply).toMatchObject({ attempts: [0], status, seconds });
});

test("after three requests that fail in all attempts, the following requests are sent once", async () => {
  const { attempts } = await send(() => fail(500), { times: 5 });
  expect(attempts).toHaveLength(5 + 5 + 5 + 1 + 1);
});
