import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { createStore } from "../../src/store/open.ts";
import type { State } from "../../src/store/store.ts";
import { checkResponse } from "../openapi-check.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, useWorker } from "../worker.ts";
import { respond, type Served } from "./model.ts";
import { type AnyRequest, anyRequest, SETTINGS, type Settings } from "./requests.ts";

/** Requests to each store. The weekly run sends 20,000: `REQUESTS=20000 npx vitest run test/any-request`. */
const RUNS = Number(process.env.REQUESTS ?? 500);

const LARGE = makeRecords(10_000);

/** The version of the code. */
const CODE = { id: "0123456789", tag: "", timestamp: "" };

describe.each(STORE_NAMES)("with the %s store, any request gets the expected response", (store) => {
  const worker = useWorker();
  let env: Env;
  beforeAll(() => {
    // A new instance, which has nothing in memory.
    env = { ...worker.env, STORE: store, CF_VERSION_METADATA: CODE };
  });

  async function check(served: Served, runs: number): Promise<void> {
    const instances = new Map(SETTINGS.map((settings) => [settings, { ...env, ...toVariables(settings) }]));
    const etagOf = (request: AnyRequest) => respond({ ...request, condition: "none" }, served).headers?.etag;
    const requests = anyRequest({ load: served.state.load, etagOf });
    const checkOne = async (request: AnyRequest) =>
      expectResponse(request, await send(request, instances.get(request.settings)!), served);
    await fc.assert(fc.asyncProperty(requests, checkOne), { numRuns: runs });
  }

  test("for an empty collection", { timeout: 600_000 }, async () => {
    const state: State = await createStore(env).readState();
    await check({ state, records: [], code: CODE.id }, RUNS / 5);
  });

  test("for a large collection", { timeout: 3_600_000 }, async () => {
    // So long ago that no location of KV can lag behind it.
    vi.setSystemTime(Date.now() - 600_000);
    const state = await loadInto(worker.env, store, LARGE);
    vi.useRealTimers();
    await check({ state, records: LARGE.toReversed(), code: CODE.id }, (RUNS * 4) / 5);
  });
});

function toVariables({ publicOrigin = "", limited }: Settings): Partial<Env> {
  const RATE_LIMITER = { limit: async () => ({ success: !limited }) };
  return { PUBLIC_ORIGIN: publicOrigin, RATE_LIMITER, RATE_LIMIT: limited === undefined ? "off" : "10" };
}

async function send({ method, url, headers, body }: AnyRequest, env: Env): Promise<Response> {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return app.request(new Request(url, { method, headers: pairs, body: body ?? null }), {}, env, context);
}

const TYPES = { json: "application/json", html: "text/html; charset=utf-8" };

async function expectResponse(request: AnyRequest, response: Response, served: Served): Promise<void> {
  const { method, url } = request;
  const expected = respond(request, served);
  const body = await response.clone().text();
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
