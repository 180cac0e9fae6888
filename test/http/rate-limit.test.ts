import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";

const PAGE = "/api/tf1/records/?page=2";

const { ratelimits, vars } = unstable_readConfig({ config: "wrangler.toml" });

/** The number of requests that wrangler.toml allows in 10 seconds. */
const LIMIT = Number(ratelimits[0]?.simple.limit);

describe("if RATE_LIMIT is 10, in workerd,", () => {
  const worker = useWorker({ vars: { RATE_LIMIT: "10" } });

  /** Sends a request with the header in which the platform reports the address of the client. */
  const fetchFrom = (address: string) => worker.fetch(PAGE, { headers: { "CF-Connecting-IP": address } });

  test("an address gets 429 after the allowed number of requests, and other addresses are not affected", async () => {
    await loadInto(worker.env, "d1", makeRecords(40));
    // The limit starts again every 10 seconds.
    const responses = [];
    while (responses.at(-1)?.status !== 429 && responses.length <= 2 * LIMIT)
      responses.push(await fetchFrom("192.0.2.1"));
    expect(responses.length).toBeGreaterThan(LIMIT);
    const refused = responses.at(-1);
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "10"]);
    const detail = "Request was throttled. Expected available in 10 seconds.";
    expect(await refused?.json()).toEqual({ detail });
    expect((await fetchFrom("2001:db8::1")).status).toBe(200);
  });
});

test("wrangler.toml configures a rate limit, but does not switch it on", () => {
  expect(vars.RATE_LIMIT).toBe("off");
  expect(ratelimits).toMatchObject([{ name: "RATE_LIMITER", simple: { limit: 100, period: 10 } }]);
});
