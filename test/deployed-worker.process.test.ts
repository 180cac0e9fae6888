import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { findBundle } from "./bundled-worker.ts";
import { makeRecords } from "./records/sample.ts";
import { loadInto, useWorker } from "./worker.ts";

// What only the bundle and wrangler.toml show.

test("the worker stays under 45 KiB gzipped, and contains no schema library", async () => {
  const bundle = await readFile(join(findBundle(), "index.js"), "utf8");
  expect(gzipSync(bundle).byteLength).toBeLessThan(45 * 1024);
  // The name of the registry that all copies of zod share.
  expect(bundle).not.toContain("__zod_globalRegistry");
});

describe("with the rate limit of wrangler.toml, in workerd,", () => {
  const { ratelimits, vars } = unstable_readConfig({ config: "wrangler.toml" });
  const limit = Number(ratelimits[0]?.simple.limit);
  const worker = useWorker({ vars: { RATE_LIMIT: String(vars.RATE_LIMIT) } });

  /** Sends a request with the header in which the platform reports the address of the client. */
  const fetchFrom = (address: string) =>
    worker.fetch("/api/tf1/records/?page=2", { headers: { "CF-Connecting-IP": address } });

  test("an address gets 429 after the allowed number of requests, and other addresses are not affected", async () => {
    await loadInto(worker.env, "d1", makeRecords(40));
    // The limit may start again in between.
    const responses: Response[] = [];
    while (responses.at(-1)?.status !== 429 && responses.length <= 2 * limit)
      responses.push(...(await Promise.all(Array.from({ length: 20 }, () => fetchFrom("192.0.2.1")))));
    expect(responses.length).toBeGreaterThan(limit);
    const refused = responses.at(-1);
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await fetchFrom("2001:db8::1")).status).toBe(200);
  });
});
