import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { essential } from "../records/headers.ts";
import { ask, PAGE, PATH, useWorker, worker } from "./asking.ts";

useWorker();

async function time(request: () => Promise<Response>): Promise<{ answer: Response; took: number }> {
  const begun = performance.now();
  const answer = await request();
  return { answer, took: performance.now() - begun };
}

describe("a request that asks for nothing", () => {
  test.each(["respond-async", "", "handling=lenient; strict", "seed=4", "x-code=503", "=,;"])(
    "Prefer: %s",
    async (prefer) => {
      const [answer, usual] = [await ask(prefer), await worker.fetch(PAGE)];
      expect(essential(answer.headers)).toEqual(essential(usual.headers));
      expect(await answer.text()).toBe(await usual.text());
      expect(usual.headers.get("vary")).toBe("Accept");
    },
  );

  test.each(["/?preferred=code=503", `${PAGE}&nprefer=code=503`, `${PAGE}&prefer=`])("%s", async (path) => {
    const answer = await worker.fetch(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.has("mock-warning")).toBe(false);
    expect(answer.headers.get("cache-control")).toContain("max-age=5");
  });
});

describe("code", () => {
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
    [429, "Request was throttled. Expected available in 2 seconds.", { "retry-after": "2" }],
    [500, "A server error occurred.", {}],
    [502, "Bad gateway.", {}],
    [503, "Service temporarily unavailable, try again later.", { "retry-after": "2" }],
    [599, "The request failed with status 599.", {}],
  ])("%i", async (code, detail, headers) => {
    const answer = await ask(`code=${code}`);
    expect(answer.status).toBe(code);
    expect(await answer.json()).toEqual({ detail });
    expect(essential(answer.headers)).toEqual({
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

  test("407, for which fetch tells no answer", async () => {
    const outgoing = request(worker.origin + PAGE, { headers: { Prefer: "code=407" } }).end();
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    expect(answer?.statusCode).toBe(407);
    expect(answer?.headers["proxy-authenticate"]).toBe('Bearer realm="api"');
    expect(JSON.parse(await text(answer!))).toEqual({ detail: "Proxy authentication required." });
  });

  test("every other one from 400 to 599 is answered", async () => {
    for (let code = 400; code < 600; code++) {
      if (code === 407) continue;
      const answer = await ask(`code=${code}`);
      expect(answer.status).toBe(code);
      expect(await answer.json()).toEqual({ detail: expect.stringMatching(/^[A-Z].+\.$/) });
    }
  });

  test.each(["/", "/elsewhere", PATH.slice(0, -1), `${PATH}?page=0`, `${PATH}?format=xml`])(
    "in place of what %s answers",
    async (path) => {
      const answer = await ask("code=405", path);
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("GET, OPTIONS");
    },
  );

  test.each(["POST", "DELETE", "OPTIONS"])("whatever the method, %s", async (method) => {
    expect((await ask("code=409", PAGE, { method })).status).toBe(409);
  });

  test("HEAD gets the same without the body", async () => {
    const [head, get] = [await ask("code=429", PAGE, { method: "HEAD" }), await ask("code=429")];
    expect(head.status).toBe(429);
    expect(await head.text()).toBe("");
    expect(essential(head.headers)).toEqual(essential(get.headers));
  });

  test("a browser gets the page of the error", async () => {
    const answer = await ask("code=503", PAGE, { headers: { Accept: "text/html" } });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await answer.text()).toContain("Service temporarily unavailable, try again later.");
  });
});

describe("delay", () => {
  test("waits", async () => {
    const { answer, took } = await time(() => ask("delay=400"));
    expect(took).toBeGreaterThanOrEqual(399);
    expect(took).toBeLessThan(2_000);
    expect(answer.headers.get("preference-applied")).toBe("delay=400");
    expect(await answer.text()).toBe(await (await worker.fetch(PAGE)).text());
  });

  test("waits before an error too", async () => {
    const { answer, took } = await time(() => ask("code=500, delay=300"));
    expect(answer.status).toBe(500);
    expect(took).toBeGreaterThanOrEqual(299);
  });

  test("between two, for a time in between, the same with the same seed", async () => {
    const measure = async (seed: number) => (await time(() => ask(`delay=100-900, seed=${seed}`))).took;
    // For this page the seeds draw 855 and 205.
    const [long, short, again] = [await measure(3), await measure(7), await measure(3)];
    expect(long).toBeGreaterThanOrEqual(854);
    expect(again).toBeGreaterThanOrEqual(854);
    expect(short).toBeGreaterThanOrEqual(204);
    expect(short).toBeLessThan(854);
  });

  test("holds up nobody else", async () => {
    const delayed = ask("delay=1500");
    const { took } = await time(() => worker.fetch(PAGE));
    expect(took).toBeLessThan(1_400);
    await delayed;
  });
});

test("several headers are one", async () => {
  const outgoing = request(worker.origin + PAGE);
  outgoing.setHeader("Prefer", ["delay=1; x=y", 'code="404", code=500', "respond-async"]);
  const [answer]: IncomingMessage[] = await once(outgoing.end(), "response");
  expect(answer?.statusCode).toBe(404);
  expect(answer?.headers["preference-applied"]).toBe("code=404, delay=1");
  answer?.resume();
});

describe("fail", () => {
  const pages = Array.from({ length: 26 }, (_, index) => `${PATH}?format=api&page=${index + 1}`);
  const statuses = (prefer: string) =>
    Promise.all(pages.map(async (page) => (await ask(prefer, page)).status));

  test("always, never", async () => {
    const failed = await ask("fail=1");
    expect(failed.status).toBe(503);
    expect(failed.headers.get("retry-after")).toBe("2");
    expect(await failed.json()).toEqual({ detail: "Service temporarily unavailable, try again later." });
    expect((await ask("fail=0")).status).toBe(200);
  });

  test("with a seed the same pages, again and again; with another seed others", async () => {
    const failing = await statuses("fail=0.4, seed=4, delay=0-20");
    expect(new Set(failing)).toEqual(new Set([200, 503]));
    expect(await statuses("fail=0.4, seed=4")).toEqual(failing);
    expect(await statuses("fail=0.4, seed=5")).not.toEqual(failing);
  });

  test("without a seed now these, now those", async () => {
    const rounds = await Promise.all(Array.from({ length: 6 }, () => statuses("fail=0.5")));
    expect(new Set(rounds.map(String)).size).toBeGreaterThan(1);
  });

  test("as code says, or body", async () => {
    expect(new Set(await statuses("fail=0.4, seed=4, code=429"))).toEqual(new Set([200, 429]));
    const answers = await Promise.all(pages.map((page) => ask("fail=0.4, seed=4, body=empty", page)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(bodies.map((body) => (body === "" ? 503 : 200))).toEqual(await statuses("fail=0.4, seed=4"));
    expect(answers.map(({ headers }) => headers.get("preference-applied")?.includes("body=empty"))).toEqual(
      bodies.map((body) => body === ""),
    );
  });
});
