import { describe, expect, test, vi } from "vitest";
import { createFaultsService, getTarget, setTime } from "./faults-service.ts";

interface SentRequest {
  /** Milliseconds since the first request. */
  at: number;
  prefer?: string;
  page?: number;
  method?: string;
  client?: string;
}

/** Sends requests to a new service. Returns their statuses, with `Retry-After` if they have it. */
async function send(prefer: string, requests: SentRequest[], settings = {}): Promise<string[]> {
  const { fetch } = await createFaultsService(settings);
  const statuses: string[] = [];
  for (const { at, page = 2, method = "GET", client, ...request } of requests) {
    setTime(at);
    const headers = new Headers({ prefer: request.prefer ?? prefer });
    if (client !== undefined) headers.set("CF-Connecting-IP", client);
    const response = await fetch(getTarget(page), { method, headers });
    const retryAfter = response.headers.get("retry-after");
    statuses.push([response.status, ...(retryAfter === null ? [] : [retryAfter])].join(" "));
  }
  return statuses;
}

test.each<{ name: string; prefer: string; requests: SentRequest[]; expected: string[] }>([
  {
    name: "each window of the clock begins with a new count",
    prefer: "rate=2/s",
    requests: [{ at: 100 }, { at: 500 }, { at: 999 }, { at: 1_000 }, { at: 1_001 }, { at: 1_002 }],
    expected: ["200", "200", "429 1", "200", "200", "429 1"],
  },
  {
    name: "Retry-After is the time to the end of the window, rounded up",
    prefer: "rate=1/m",
    requests: [{ at: 0 }, { at: 0 }, { at: 1 }, { at: 999 }, { at: 1_000 }, { at: 59_999 }, { at: 60_000 }],
    expected: ["200", "429 60", "429 60", "429 60", "429 59", "429 1", "200"],
  },
  {
    name: "an hour",
    prefer: "rate=1/h",
    requests: [{ at: 3_000_000 }, { at: 3_000_000 }],
    expected: ["200", "429 600"],
  },
  {
    name: "all pages and methods count",
    prefer: "rate=1/s",
    requests: [
      { at: 0, method: "OPTIONS" },
      { at: 0, method: "HEAD" },
      { at: 0, page: 3 },
    ],
    expected: ["200", "429 1", "429 1"],
  },
  {
    name: "each client address has its own count, and all clients without an address share one",
    prefer: "rate=1/s",
    requests: [
      { at: 0, client: "192.0.2.1" },
      { at: 0, client: "192.0.2.2" },
      { at: 0 },
      { at: 0 },
      { at: 0, client: "192.0.2.1" },
    ],
    expected: ["200", "200", "200", "429 1", "429 1"],
  },
  {
    name: "different rates of a unit share the count of a client, and requests without the option have none",
    prefer: "rate=2/s",
    requests: [
      { at: 0 },
      { at: 0, prefer: "none" },
      { at: 0, prefer: "rate=1/s" },
      { at: 0, prefer: "rate=1/m" },
      { at: 0 },
    ],
    expected: ["200", "200", "429 1", "200", "429 1"],
  },
  {
    name: "requests for other pages count, too",
    prefer: "rate=1/s, on=3",
    requests: [{ at: 0 }, { at: 0 }, { at: 0, page: 3 }],
    expected: ["200", "200", "429 1"],
  },
  {
    name: "with another fault, it is a condition",
    prefer: "rate=1/m, code=503",
    requests: [{ at: 0 }, { at: 0 }],
    expected: ["200", "503 2"],
  },
  {
    name: "a requested 429 is the 429 of the rate",
    prefer: "rate=1/m, code=429",
    requests: [{ at: 0 }, { at: 0 }],
    expected: ["200", "429 60"],
  },
  {
    name: "retry-after has precedence",
    prefer: "rate=1/m, retry-after=7",
    requests: [{ at: 0 }, { at: 0 }],
    expected: ["200", "429 7"],
  },
  {
    name: "an HTTP date",
    prefer: "rate=1/m, retry-after=date",
    requests: [{ at: 0 }, { at: 500 }],
    expected: ["200", "429 Tue, 01 Jan 2030 00:01:00 GMT"],
  },
])("$prefer: $name", async ({ prefer, requests, expected }) => {
  expect(await send(prefer, requests)).toEqual(expected);
});

test.each([
  { at: 59_000, delay: 5_000, expected: "0" },
  { at: 30_000, delay: 10_000, expected: "20" },
])(
  "Retry-After of a request at $at ms that waits $delay ms ends with the minute that counted it",
  async (row) => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.UTC(2030, 0, 1) + row.at });
    const { fetch } = await createFaultsService();
    const prefer = `rate=1/m, code=429, delay=${row.delay}`;
    const responses = [1, 2].map(() => fetch(getTarget(2), { headers: { prefer } }));
    const throttled = responses[1];
    await vi.advanceTimersByTimeAsync(0);
    await vi.advanceTimersByTimeAsync(row.delay);
    expect((await throttled)?.headers.get("retry-after")).toBe(row.expected);
  },
);

test("the default faults of a deployment can have a rate", async () => {
  expect(await send("", [{ at: 0 }, { at: 0 }], { PREFER: "rate=1/s" })).toEqual(["200", "429 1"]);
});

describe("the response", () => {
  test("above the rate names the rate, and below the rate is like a response without faults", async () => {
    setTime(0);
    const { fetch } = await createFaultsService();
    const request = () => fetch(getTarget(2), { headers: { prefer: "rate=1/s" } });
    const [below, above] = [await request(), await request()];
    expect([below.headers.get("preference-applied"), below.headers.get("cache-control")]).toEqual([
      null,
      "no-cache",
    ]);
    expect(above.headers.get("preference-applied")).toBe('code=429, rate="1/s"');
    expect(await above.json()).toEqual({ detail: "Request was throttled. Expected available in 1 second." });
  });
});
