import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";

const PAGE = "/api/tf1/records/?page=2";

/** Requests that wrangler.toml allows in 10 seconds. */
const LIMIT = 100;

/** A request from an address, with the header of the platform. */
const from = (address: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...init.headers, "CF-Connecting-IP": address },
});

describe("RATE_LIMIT is 10", () => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ vars: { RATE_LIMIT: "10" } });
    await loadInto(worker.env, "d1", makeRecords(40));
  });
  afterAll(() => worker?.close());

  /** Sends requests until one is refused. The limit starts again every 10 seconds. */
  async function useUp(address: string): Promise<{ refused: Response; after: number }> {
    for (let after = 0; after <= 2 * LIMIT; after++) {
      const response = await worker.fetch(PAGE, from(address));
      if (response.status !== 200) return { refused: response, after };
      await response.text();
    }
    throw new Error("no request was refused");
  }

  test("an address gets as many responses as allowed, then 429; other addresses are not affected", async () => {
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

  test("the limit applies with Prefer too; a browser gets a web page; preflights and pages about the service pass", async () => {
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
    // The local runtime starts again when the clock is at a multiple of 10 seconds.
    const now = () => Math.floor(Date.now() / 10_000);
    let responses: Response[];
    let begun: number;
    do {
      begun = now();
      await useUp(address);
      responses = await sendAll();
    } while (now() !== begun);
    expect(responses.map(({ status }) => status)).toEqual([429, 429, 429, 429, 204, 200, 200, 200, 200, 200]);
    expect(await responses[3]!.text()).toContain("Request was throttled.");
  });
});

test("RATE_LIMIT is off: the number of requests is not limited", async () => {
  const worker = await startWorker();
  await loadInto(worker.env, "d1", makeRecords(40));
  for (let request = 0; request <= 2 * LIMIT; request++)
    expect((await worker.fetch(PAGE, from("192.0.2.3"))).status).toBe(200);
  await worker.close();
});

test("wrangler.toml has the limit that this file assumes", async () => {
  const configuration = await readFile("wrangler.toml", "utf8");
  expect(configuration).toContain('RATE_LIMIT = "off"');
  expect(configuration).toContain(`simple = { limit = ${LIMIT}, period = 10 }`);
});
