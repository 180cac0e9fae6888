import { once } from "node:events";
import { type IncomingMessage, request as requestOverHttp } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { essential } from "../records/headers.ts";
import { PAGE, PATH, request, useMockWorker, worker } from "./mock-worker.ts";

useMockWorker();

async function time(send: () => Promise<Response>): Promise<{ response: Response; took: number }> {
  const begun = performance.now();
  const response = await send();
  return { response, took: performance.now() - begun };
}

describe("a request without options for the mock gets the usual response:", () => {
  test.each([
    "respond-async",
    "",
    "handling=lenient; strict",
    "seed=4, strict",
    "odata.track-changes",
    "=,;",
  ])("Prefer: %s", async (prefer) => {
    const [response, usual] = [await request(prefer), await worker.fetch(PAGE)];
    expect(essential(response.headers)).toEqual(essential(usual.headers));
    expect(await response.text()).toBe(await usual.text());
    expect(usual.headers.get("vary")).toBe("Accept");
  });

  test.each(["/?preferred=code=503", `${PAGE}&nprefer=code=503`, `${PAGE}&prefer=`])("%s", async (path) => {
    const response = await worker.fetch(path);
    expect(response.status).toBe(200);
    expect(response.headers.has("mock-warning")).toBe(false);
    expect(response.headers.get("cache-control")).toContain("max-age=5");
  });
});

describe("the option code", () => {
  test.each<[number, string, Record<string, string>]>([
    [400, "Malformed request.", {}],
    [401, "Authentication credentials were not provided.", { "www-authenticate": 'Bearer realm="api"' }],
    [403, "You do not have permission to perform this action.", {}],
    [404, "Not found.", {}],
    [405, 'Method "GET" not allowed.', { allow: "GET, OPTIONS" }],
    [406, "Could not satisfy the request Accept header.", {}],
    [408, "Request timeout.", {}],
    [415, 'Unsupported media type "text/plain" in request.', {}],
    [418, "The request failed with status 418.", {}],
    [
      429,
      "Request was throttled. Expected available in 2 seconds.",
      { "retry-after": "2", ratelimit: '"default";r=0;t=2', "ratelimit-policy": '"default";q=100;w=10' },
    ],
    [500, "A server error occurred.", {}],
    [502, "Bad gateway.", {}],
    [503, "Service temporarily unavailable, try again later.", { "retry-after": "2" }],
    [599, "The request failed with status 599.", {}],
  ])("%i", async (code, detail, headers) => {
    const response = await request(`code=${code}`);
    expect(response.status).toBe(code);
    expect(await response.json()).toEqual({ detail });
    expect(essential(response.headers)).toEqual({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "*",
      allow: "GET, OPTIONS",
      "cache-control": "no-store",
      "content-type": "application/json",
      "preference-applied": `code=${code}`,
      vary: "Accept",
      "x-content-type-options": "nosniff",
      ...headers,
    });
  });

  test("returns 407, which fetch reports as a network error", async () => {
    const outgoing = requestOverHttp(worker.origin + PAGE, { headers: { Prefer: "code=407" } }).end();
    const [response]: IncomingMessage[] = await once(outgoing, "response");
    expect(response?.statusCode).toBe(407);
    expect(response?.headers["proxy-authenticate"]).toBe('Bearer realm="api"');
    expect(JSON.parse(await text(response!))).toEqual({ detail: "Proxy authentication required." });
  });

  test("returns every other status from 400 to 599", async () => {
    for (let code = 400; code < 600; code++) {
      if (code === 407) continue;
      const response = await request(`code=${code}`);
      expect(response.status).toBe(code);
      expect(await response.json()).toEqual({ detail: expect.stringMatching(/^[A-Z].+\.$/) });
    }
  });

  test.each(["/", "/elsewhere", PATH.slice(0, -1), `${PATH}?page=0`, `${PATH}?format=xml`])(
    "replaces the response of %s",
    async (path) => {
      const response = await request("code=405", path);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, OPTIONS");
    },
  );

  test.each(["POST", "DELETE", "OPTIONS"])("replaces the response to %s", async (method) => {
    expect((await request("code=409", PAGE, { method })).status).toBe(409);
  });

  test("responds to HEAD in the same way, without the body", async () => {
    const [head, get] = [await request("code=429", PAGE, { method: "HEAD" }), await request("code=429")];
    expect(head.status).toBe(429);
    expect(await head.text()).toBe("");
    expect(essential(head.headers)).toEqual(essential(get.headers));
  });

  test("shows the error page in a browser", async () => {
    const response = await request("code=503", PAGE, { headers: { Accept: "text/html" } });
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toContain("Service temporarily unavailable, try again later.");
  });
});

describe("the option delay", () => {
  test("waits before the response", async () => {
    const { response, took } = await time(() => request("delay=400"));
    expect(took).toBeGreaterThanOrEqual(399);
    expect(response.headers.get("preference-applied")).toBe("delay=400");
    expect(await response.text()).toBe(await (await worker.fetch(PAGE)).text());
  });

  test("waits before an error response, too", async () => {
    const { response, took } = await time(() => request("code=500, delay=300"));
    expect(response.status).toBe(500);
    expect(took).toBeGreaterThanOrEqual(299);
  });

  test("waits a time within its range, which is the same for the same seed", async () => {
    const measure = async (seed: number) => (await time(() => request(`delay=100-900, seed=${seed}`))).took;
    // For this page the seeds 2 and 4 give delays of 820 ms and 187 ms.
    const [long, short, again] = await Promise.all([measure(2), measure(4), measure(2)]);
    expect(long).toBeGreaterThanOrEqual(819);
    expect(again).toBeGreaterThanOrEqual(819);
    expect(short).toBeGreaterThanOrEqual(186);
    expect(short).toBeLessThan(Math.min(long, again));
  });

  test("does not delay other requests", async () => {
    const client = new AbortController();
    const delayed = request("delay=10000", PAGE, { signal: client.signal }).then(
      () => "delayed",
      () => "aborted",
    );
    const other = worker.fetch(PAGE).then(() => "other");
    expect(await Promise.race([delayed, other])).toBe("other");
    client.abort();
    expect(await delayed).toBe("aborted");
  });
});

test("several Prefer headers are read as one header", async () => {
  const outgoing = requestOverHttp(worker.origin + PAGE);
  outgoing.setHeader("Prefer", ["delay=1; x=y", 'code="404", code=500', "respond-async"]);
  const [response]: IncomingMessage[] = await once(outgoing.end(), "response");
  expect(response?.statusCode).toBe(404);
  expect(response?.headers["preference-applied"]).toBe("code=404, delay=1");
  response?.resume();
});

describe("the option fail", () => {
  const pages = Array.from({ length: 26 }, (_, index) => `${PATH}?format=api&page=${index + 1}`);
  const statuses = (prefer: string) =>
    Promise.all(pages.map(async (page) => (await request(prefer, page)).status));

  test("always causes an error with the value 1, and never with the value 0", async () => {
    const failed = await request("fail=1");
    expect(failed.status).toBe(503);
    expect(failed.headers.get("retry-after")).toBe("2");
    expect(await failed.json()).toEqual({ detail: "Service temporarily unavailable, try again later." });
    expect((await request("fail=0")).status).toBe(200);
  });

  test("affects the same pages every time with the same seed, and other pages with another seed", async () => {
    const failing = await statuses("fail=0.4, seed=4, delay=0-20");
    expect(new Set(failing)).toEqual(new Set([200, 503]));
    expect(await statuses("fail=0.4, seed=4")).toEqual(failing);
    expect(await statuses("fail=0.4, seed=5")).not.toEqual(failing);
  });

  test("affects different pages each time without a seed", async () => {
    const rounds = await Promise.all(Array.from({ length: 6 }, () => statuses("fail=0.5")));
    expect(new Set(rounds.map(String)).size).toBeGreaterThan(1);
  });

  test("uses the given code or body", async () => {
    expect(new Set(await statuses("fail=0.4, seed=4, code=429"))).toEqual(new Set([200, 429]));
    const responses = await Promise.all(pages.map((page) => request("fail=0.4, seed=4, body=empty", page)));
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(bodies.map((body) => (body === "" ? 503 : 200))).toEqual(await statuses("fail=0.4, seed=4"));
    expect(responses.map(({ headers }) => headers.get("preference-applied")?.includes("body=empty"))).toEqual(
      bodies.map((body) => body === ""),
    );
  });
});
