import { request as requestOverHttp } from "node:http";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { createStore } from "../../src/store/open.ts";
import { checkResponse } from "../openapi-check.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { respond, type Served } from "./model.ts";
import { type AnyRequest, anyRequest } from "./requests.ts";

/** Requests to each store. The weekly run sends 20,000: `REQUESTS=20000 npx vitest run test/any-request`. */
const RUNS = Number(process.env.REQUESTS ?? 500);

const LARGE = makeRecords(10_000);

describe.each(STORE_NAMES)("with the %s store, any request gets the expected response", (store) => {
  let worker: RunningWorker;
  let code: string;
  beforeAll(async () => {
    worker = await startWorker({ vars: { STORE: store } });
    ({ id: code } = Object(await (await worker.fetch("/healthz")).json()).code);
  });
  afterAll(() => worker?.close());

  async function check(served: Served, runs: number): Promise<void> {
    // A new instance, which has nothing in memory, of the same version of the code.
    const CF_VERSION_METADATA = { id: code, tag: "", timestamp: "" };
    const env: Env = { ...worker.env, STORE: store, CF_VERSION_METADATA };
    const origin = served.origin ?? "http://in-this-process";
    const etagOf = (request: AnyRequest) => respond({ ...request, condition: "none" }, served).headers?.etag;
    const requests = anyRequest({ origin, load: served.state.load, etagOf });
    const send = (request: AnyRequest) =>
      request.url.origin === served.origin ? sendOverHttp(request) : sendInside(request, env);
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const response = await send(request);
        await expectResponse(request, response, served);
      }),
      { numRuns: runs },
    );
  }

  test("for an empty collection", { timeout: 600_000 }, async () => {
    const state = await createStore({ ...worker.env, STORE: store }).readState();
    await check({ state, records: [], code, origin: undefined }, RUNS / 5);
  });

  test("for a large collection", { timeout: 3_600_000 }, async () => {
    // So long ago that no location of KV can lag behind it.
    vi.setSystemTime(Date.now() - 600_000);
    const state = await loadInto(worker.env, store, LARGE);
    vi.useRealTimers();
    const records: TrafficRecord[] = LARGE.toReversed();
    await expect
      .poll(async () => Object(await (await worker.fetch("/api/tf1/records/")).json()).count, {
        timeout: 60_000,
      })
      .toBe(LARGE.length);
    await check({ state, records, code, origin: worker.origin }, (RUNS * 4) / 5);
  });
});

/** Sends requests that fetch cannot send: several headers of one name, and text that is not ASCII. */
function sendOverHttp({ method, url, headers, body }: AnyRequest): Promise<Response> {
  // Without a Content-Length, Node sends the body of some methods as if it were the next request.
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const outgoing = requestOverHttp(
      url,
      { method, headers: { ...headers, ...length } },
      async (incoming) => {
        const received = await text(incoming);
        const pairs = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve(
          new Response(received === "" ? null : received, {
            status: incoming.statusCode ?? 0,
            headers: pairs,
          }),
        );
      },
    );
    outgoing.on("error", reject).end(body);
  });
}

/** Sends the request to an instance of the worker in this process, with the settings of the request. */
async function sendInside({ method, url, headers, body, settings }: AnyRequest, env: Env): Promise<Response> {
  const { publicOrigin, limited } = settings;
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const configured = Object.assign(Object.create(env), {
    ...(publicOrigin === undefined ? {} : { PUBLIC_ORIGIN: publicOrigin }),
    ...(limited === undefined
      ? {}
      : { RATE_LIMIT: "10", RATE_LIMITER: { limit: async () => ({ success: !limited }) } }),
  });
  const host = headers.host ?? url.host;
  return app.request(
    new Request(`${url.protocol}//${host}${url.pathname}${url.search}`, {
      method,
      headers: pairs,
      body: body ?? null,
    }),
    {},
    configured,
    context,
  );
}

/** Workerd keeps bytes in the query that are not UTF-8; Node, and so the model, replaces them with U+FFFD. */
function normaliseLinks(body: string): string {
  return body.replaceAll(
    /("(?:next|previous)":"[^"?]*\?)([^"]*)/g,
    (_, start, query) => `${start}${new URLSearchParams(query)}`,
  );
}

const TYPES = { json: "application/json", html: "text/html; charset=utf-8" };

async function expectResponse(request: AnyRequest, response: Response, served: Served): Promise<void> {
  const { method, url } = request;
  const expected = respond(request, served);
  const body = normaliseLinks(await response.clone().text());
  const headers = Object.fromEntries(response.headers);
  expect({ status: response.status, body }).toMatchObject({ status: expected.status });
  expect(headers).toMatchObject({ "access-control-allow-origin": "*", "x-content-type-options": "nosniff" });
  if (expected.type === "none") expect(body).toBe("");
  else if (expected.type !== undefined) expect(headers["content-type"]).toBe(TYPES[expected.type]);
  if (typeof expected.body === "string") expect(body).toBe(expected.body);
  else if (expected.body) expect(body).toMatch(expected.body);
  for (const [name, value] of Object.entries(expected.headers ?? {}))
    if (value === undefined) expect(headers[name]).toBeUndefined();
    else expect(headers[name]).toContain(value);
  const sent = new Headers();
  for (const [name, value] of Object.entries(request.headers)) sent.set(name, String(value));
  await checkResponse({ method, url: url.href, headers: sent }, response);
}
