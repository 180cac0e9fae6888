import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";

const PAGE = "/api/tf1/records/?page=2";

const { ratelimits, vars } = unstable_readConfig({ config: "wrangler.toml" });

/** The number of requests that wrangler.toml allows in 60 seconds. */
const LIMIT = Number(ratelimits[0]?.simple.limit);

describe("with the rate limit of wrangler.toml, in workerd,", () => {
  const worker = useWorker({ vars: { RATE_LIMIT: String(vars.RATE_LIMIT) } });

  /** Sends a request with the header in which the platform reports the address of the client. */
  const fetchFrom = (address: string) => worker.fetch(PAGE, { headers: { "CF-Connecting-IP": address } });

  test("an address gets 429 after the allowed number of requests, and other addresses are not affected", async () => {
    await loadInto(worker.env, "d1", makeRecords(40));
    // The limit may start again in between.
    const responses: Response[] = [];
    while (responses.at(-1)?.status !== 429 && responses.length <= 2 * LIMIT)
      responses.push(...(await Promise.all(Array.from({ length: 20 }, () => fetchFrom("192.0.2.1")))));
    expect(responses.length).toBeGreaterThan(LIMIT);
    const refused = responses.at(-1);
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "60"]);
    const detail = "Request was throttled. Expected available in 60 seconds.";
    expect(await refused?.json()).toEqual({ detail });
    expect((await fetchFrom("2001:db8::1")).status).toBe(200);
  });
});
