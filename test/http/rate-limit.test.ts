import { beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { clientKey } from "../../src/http/rate-limit.ts";
import app from "../../src/index.ts";
import { check, type Exchange } from "../exchange.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, useWorker } from "../worker.ts";

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
    expect(refused.headers.get("retry-after")).toBe("10");
    expect((await worker.fetch(PAGE, from("2001:db8::1"))).status).toBe(200);
  });

  test("requests with Prefer are limited, but preflights and pages about the service are not", async () => {
    const RATE_LIMITER = { limit: async () => ({ success: false }) };
    const env = { ...worker.env, RATE_LIMIT: "10", RATE_LIMITER };
    const preflight = { "Access-Control-Request-Method": "GET" };
    const exchanges: Exchange[] = [
      ...["/nothing", "/api/tf1/records", `${PAGE}&prefer=code=500`].map((path) => ({
        send: path,
        status: 429,
      })),
      { send: `OPTIONS ${PAGE}`, with: preflight, status: 204 },
      ...["/", "/docs", "/openapi.json", "/healthz"].map((path) => ({ send: path })),
    ];
    await check((path, init) => app.request(path, init, env, context), ...exchanges);
    await check((path, init) => app.request(path, init, { ...env, RATE_LIMIT: "off" }, context), {
      send: PAGE,
    });
  });
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
