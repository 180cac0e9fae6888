import { beforeAll, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import app from "../../src/index.ts";
import { check, type Send } from "../exchange.ts";
import { checkResponse } from "../openapi-check.ts";
import { context, loadInto, useWorker } from "../worker.ts";
import { COUNT, describeCollection } from "./exchanges.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/api/tf1/records/";

describe.each(STORE_NAMES)("with the %s store,", (store) => {
  const worker = useWorker({ vars: { STORE: store } });
  beforeAll(async () => {
    // So long ago that no location of KV can lag behind it.
    vi.setSystemTime(Date.now() - 600_000);
    await loadInto(worker.env, store, makeRecords(COUNT));
    vi.useRealTimers();
  });

  /** Sends requests to the service in this process, and checks its responses against the OpenAPI document. */
  const sendTo =
    (origin: string, variables: object = {}): Send =>
    async (target, init) => {
      const request = new Request(origin + target, init);
      const response = await app.request(request, {}, { ...worker.env, ...variables }, context);
      await checkResponse(request, response);
      return response;
    };

  const ORIGIN = "https://counts.example:8443";
  test.each(describeCollection(ORIGIN))("$send $with", (exchange) => check(sendTo(ORIGIN), exchange));

  test("links keep any origin, or begin with PUBLIC_ORIGIN, and the entity-tag changes with it", async () => {
    const tags = new Set();
    for (const [origin, variables, expected] of [
      ["http://counts.example:8080", {}, "http://counts.example:8080"],
      ["https://[::1]:8443", {}, "https://[::1]:8443"],
      ["http://inside:8787", { PUBLIC_ORIGIN: "https://public.example" }, "https://public.example"],
      ["http://inside:8787", {}, "http://inside:8787"],
    ] as const) {
      const response = await sendTo(origin, variables)(PATH, {});
      expect(await response.json()).toMatchObject({ next: `${expected}${PATH}?format=api&page=2` });
      const etag = response.headers.get("etag")!;
      tags.add(etag);
      await check(sendTo(origin, variables), { send: PATH, with: { "if-none-match": etag }, status: 304 });
      await check(sendTo(ORIGIN), { send: PATH, with: { "if-none-match": etag } });
    }
    expect(tags.size).toBe(4);
  });
});
