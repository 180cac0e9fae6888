import { expect, test, vi } from "vitest";
import { createFaultsService, getTarget, type SentRequest, sendAll } from "./faults-service.ts";

const at = (...times: number[]): SentRequest[] => times.map((time) => ({ at: time }));

// biome-ignore format: a table of cases
test.each<[name: string, prefer: string, requests: SentRequest[], expected: string[]]>([
  ["a second begins with a request", "rate=2/s", at(700, 1_500, 1_699, 1_700, 1_701, 1_702), ["200", "200", "429 1", "200", "200", "429 1"]],
  ["the next second begins with the first request after it", "rate=1/s", at(0, 5_800, 6_100, 6_800), ["200", "200", "429 1", "200"]],
  ["a second begins again if a test turns back its clock", "rate=1/s", at(700, 699, 700), ["200", "200", "429 1"]],
  ["Retry-After is the time to the end of the minute, rounded up", "rate=1/m", at(500, 500, 501, 1_500, 60_499, 60_500), ["200", "429 60", "429 60", "429 59", "429 1", "200"]],
  ["an hour", "rate=1/h", at(3_000_000, 6_000_000), ["200", "429 600"]],
  ["all pages and methods count", "rate=1/s", [{ at: 0, page: "OPTIONS 2" }, { at: 0, page: "HEAD 2" }, { at: 0, page: 3 }], ["200", "429 1", "429 1"]],
  ["pages without the fault count, too", "rate=1/s, on=3", [...at(0, 0), { at: 0, page: 3 }], ["200", "200", "429 1"]],
  ["another fault replaces the 429", "rate=1/m, code=503", at(0, 1_000), ["200", "503 59"]],
  ["an error without Retry-After has none", "rate=1/m, code=500", at(0, 0), ["200", "500"]],
  ["a requested 429 is the 429 of the rate", "rate=1/m, code=429", at(0, 0), ["200", "429 60"]],
  ["retry-after has precedence", "rate=1/m, retry-after=7", at(0, 0), ["200", "429 7"]],
  ["an HTTP date", "rate=1/m, retry-after=date", at(0, 500), ["200", "429 Tue, 01 Jan 2030 00:01:00 GMT"]],
  [
    "each client address has its own count, and all clients without an address share one", "rate=1/s",
    [{ at: 0, client: "192.0.2.1" }, { at: 0, client: "192.0.2.2" }, ...at(0, 0), { at: 0, client: "192.0.2.1" }],
    ["200", "200", "200", "429 1", "429 1"],
  ],
  [
    "each run has its own count", "rate=1/s", ["2&run=a", "3&run=b", "2&run=a", 2, "2&run=", "2&run=null"].map((page) => ({ at: 0, page })),
    ["200", "200", "429 1", "200", "200", "200"],
  ],
  [
    "different rates of a unit share the count of a client, and requests without the option have none", "rate=2/s",
    [{ at: 0 }, ...["none", "rate=1/s", "rate=1/m"].map((prefer) => ({ at: 0, prefer })), { at: 0 }],
    ["200", "200", "429 1", "200", "429 1"],
  ],
])("%s: %s", async (_, prefer, requests, expected) => {
  const responses = await sendAll(prefer, requests);
  const results = responses.map(({ status, headers }) => `${status} ${headers.get("retry-after") ?? ""}`);
  expect(results.map((result) => result.trim())).toEqual(expected);
});

test.each([
  { rate: "1/s", delay: 5_000, expected: "0" },
  { rate: "1/m", delay: 10_000, expected: "50" },
])("Retry-After of rate=$rate after $delay ms counts from the response: $expected", async (row) => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const { fetch } = await createFaultsService();
  const prefer = `rate=${row.rate}, code=429, delay=${row.delay}`;
  const [, throttled] = [1, 2].map(() => fetch(getTarget(2), { headers: { prefer } }));
  await vi.advanceTimersByTimeAsync(0);
  await vi.advanceTimersByTimeAsync(row.delay);
  expect((await throttled)?.headers.get("retry-after")).toBe(row.expected);
});

test("the message of the 429 has the time, too", async () => {
  const [, above] = await sendAll("rate=1/s", at(0, 0));
  expect(await above?.json()).toEqual({ detail: "Request was throttled. Expected available in 1 second." });
});
