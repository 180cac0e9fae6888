import { beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { clientKey } from "../../src/http/rate-limit.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker, useWorker } from "../worker.ts";

const PAGE = "/api/tf1/records/?page=2";

const { ratelimits, vars } = unstable_readConfig({ config: "wrangler.toml" });

/** The number of requests that wrangler.toml allows in 10 seconds. */
const LIMIT = Number(ratelimits[0]?.simple.limit);

/** Adds the header with which the platform reports the address of the client. */
const from = (address: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...init.headers, "CF-Connecting-IP": address },
});

describe("if RATE_LIMIT is 10,", () => {
  const worker = useWorker({ vars: { RATE_LIMIT: "10" } });
  beforeAll(async () => {
    await loadInto(worker.env, "d1", makeRecords(40));
  });

  /** Sends requests until one gets 429. The limit starts again every 10 seconds. */
  async function useUp(address: string): Promise<{ refused: Response; after: number }> {
    for (let after = 0; after <= 2 * LIMIT; after++) {
      const response = await worker.fetch(PAGE, from(address));
      if (response.status !== 200) return { refused: response, after };
      await response.text();
    }
    throw new Error("no request was refused");
  }

  test("an address gets 429 after the allowed number of requests, and other addresses are not affected", async () => {
    const { refused, after } = await useUp("192.0.2.1");
    expect(after).toBeGreaterThanOrEqual(LIMIT);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toBe(
      '{"detail":"Request was throttled. Expected available in 10 seconds."}',
    );
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "10",
      "cache-control": "no-store",
      allow: "GET, OPTIONS",
      vary: "Accept",
      "content-type": "application/json",
      "access-control-allow-origin": "*",
    });
    expect((await worker.fetch(PAGE, from("2001:db8::1"))).status).toBe(200);
  });

  test("all addresses of an IPv6 /64 network count as one client", async () => {
    for (let attempt = 0; ; attempt++) {
      const { after } = await useUp(`2001:db8:7:${attempt}::1`);
      expect(after).toBeGreaterThanOrEqual(LIMIT);
      const { status } = await worker.fetch(PAGE, from(`2001:db8:7:${attempt}:ffff::2`));
      const other = await worker.fetch(PAGE, from(`2001:db8:8:${attempt}::1`));
      expect(other.status).toBe(200);
      // The local runtime resets its counters when the clock is at a multiple of 10 seconds.
      if (status === 429) return;
      expect(attempt).toBeLessThan(2);
    }
  });

  test("requests with Prefer and browsers are limited, but preflights and pages about the service are not", async () => {
    const address = "192.0.2.2";
    const send = (path: string, init?: RequestInit) => worker.fetch(path, from(address, init));
    const sendAll = () =>
      Promise.all([
        send("/nothing"),
        send("/api/tf1/records", { redirect: "manual" }),
        send(PAGE, { headers: { Prefer: "code=500" } }),
        send(PAGE, { headers: { Accept: "text/html" } }),
        send(PAGE, { method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } }),
        ...["/", "/docs", "/openapi.json", "/robots.txt", "/healthz"].map((path) => send(path)),
      ]);
    // The local runtime resets its counters when the clock is at a multiple of 10 seconds.
    const now = () => Math.floor(Date.now() / 10_000);
    let responses: Response[] = [];
    for (let attempt = 1, sentIn = -1; now() !== sentIn; attempt++) {
      if (attempt > 5) throw new Error("The machine is too slow to send the requests within 10 seconds");
      sentIn = now();
      await useUp(address);
      responses = await sendAll();
    }
    expect(responses.map(({ status }) => status)).toEqual([429, 429, 429, 429, 204, 200, 200, 200, 200, 200]);
    expect(await responses[3]!.text()).toContain("Request was throttled.");
  });
});

test("if RATE_LIMIT is off, the number of requests is not limited", async () => {
  const worker = await startWorker();
  await loadInto(worker.env, "d1", makeRecords(40));
  for (let request = 0; request <= 2 * LIMIT; request++)
    expect((await worker.fetch(PAGE, from("192.0.2.3"))).status).toBe(200);
  await worker.close();
});

test("wrangler.toml configures a rate limit, but does not switch it on", () => {
  expect(vars.RATE_LIMIT).toBe("off");
  expect(ratelimits).toMatchObject([{ name: "RATE_LIMITER", simple: { limit: 100, period: 10 } }]);
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8::", "2001:db8:0:0::/64"],
  ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ["unknown", "unknown"],
  ["a:b", "a:b"],
])("requests from %s are counted for %s", (address, key) => expect(clientKey(address)).toBe(key));
