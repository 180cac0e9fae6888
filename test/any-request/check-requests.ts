import fc from "fast-check";
import { expect } from "vitest";
import type { Env } from "../../src/env.ts";
import { checkDocumented } from "../openapi-check.ts";
import { respond, type Served } from "./model.ts";
import { type AnyRequest, anyRequest, SETTINGS, type Settings } from "./requests.ts";

/** The version of the code. */
export const CODE = { id: "0123456789", tag: "", timestamp: "" };

/** Creates an instance with these settings, which responds to requests. */
type Open = (settings: Partial<Env>) => (request: Request) => Response | Promise<Response>;

/** Sends random requests, and compares each response with that of the model. */
export async function checkRequests(open: Open, known: Omit<Served, "code">, runs: number): Promise<void> {
  const served = { ...known, code: CODE.id };
  const instances = new Map(SETTINGS.map((settings) => [settings, open(toVariables(settings))]));
  const findEtag = (request: AnyRequest) => respond({ ...request, condition: "none" }, served).headers?.etag;
  const requests = anyRequest(findEtag);
  const checkOne = async (request: AnyRequest) =>
    expectResponse(request, await instances.get(request.settings)!(toRequest(request)), served);
  await fc.assert(fc.asyncProperty(requests, checkOne), { numRuns: runs });
}

function toVariables({ publicOrigin = "", limited }: Settings): Partial<Env> {
  return {
    CF_VERSION_METADATA: CODE,
    PUBLIC_ORIGIN: publicOrigin,
    RATE_LIMITER: { limit: async () => ({ success: !limited }) },
    RATE_LIMIT: limited === undefined ? "off" : "10",
  };
}

function toRequest({ method, url, headers, body }: AnyRequest): Request {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new Request(url, { method, headers: pairs, body: body ?? null });
}

const TYPES = { json: "application/json", html: "text/html; charset=utf-8" };

async function expectResponse(request: AnyRequest, response: Response, served: Served): Promise<void> {
  const { type, body, ...expected } = respond(request, served);
  const { status, headers } = response;
  const text = await response.clone().text();
  const differs = (name: string, value: string | undefined) =>
    value === undefined ? headers.has(name) : !headers.get(name)?.includes(value);
  const wanted = {
    ...expected.headers,
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
    ...(type && type !== "none" && { "content-type": TYPES[type] }),
  };
  const isBody = body instanceof RegExp ? body.test(text) : text === (type === "none" ? "" : (body ?? text));
  // The comparisons of expect take longer than the response.
  if (status !== expected.status || !isBody || Object.entries(wanted).some((header) => differs(...header)))
    expect({ status, ...Object.fromEntries(headers), body: text }).toEqual({ ...expected, ...wanted, body });
  const sent = new Headers();
  for (const [name, value] of Object.entries(request.headers)) sent.set(name, String(value));
  await checkDocumented({ method: request.method, url: request.url.href, headers: sent }, response);
}
