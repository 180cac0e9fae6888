import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { createApp } from "../../../src/app.ts";
import { getBundleFolder } from "../../support/bundled-worker.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { loadInto, useWorker } from "../../support/worker.ts";

// Tests of the bundle and of wrangler.toml.

test("the bundle has less than 64 KiB gzipped, names its functions as src/ does, and does not contain zod", async () => {
  const bundle = await readFile(join(getBundleFolder(), "index.js"), "utf8");
  expect(gzipSync(bundle).byteLength).toBeLessThan(64 * 1024);
  expect(bundle).toContain(`function ${createApp.name}(`);
  // All copies of zod share this registry.
  expect(bundle).not.toContain("__zod_globalRegistry");
});

describe("with the rate limit of wrangler.toml, in workerd,", () => {
  const { ratelimits, vars } = unstable_readConfig({ config: "wrangler.toml" });
  const limit = Number(ratelimits[0]?.simple.limit);
  const worker = useWorker({ vars: { RATE_LIMIT: String(vars.RATE_LIMIT) } });

  /** Sends a request with a client address, as the platform does. */
  const fetchFrom = (address: string) =>
    worker.fetch("/api/tf1/records/?page=2", { headers: { "CF-Connecting-IP": address } });

  test("a client gets 429 when it exceeds the limit, and other clients are not affected", async () => {
    await loadInto(worker.env, "d1", makeRecords(40));
    // A new period of the limit can begin in between.
    const responses: Response[] = [];
    while (responses.at(-1)?.status !== 429 && responses.length <= 2 * limit)
      responses.push(...(await Promise.all(Array.from({ length: 20 }, () => fetchFrom("192.0.2.1")))));
    expect(responses.length).toBeGreaterThan(limit);
    const rejected = responses.at(-1);
    expect([rejected?.status, rejected?.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await fetchFrom("2001:db8::1")).status).toBe(200);
  });
});
