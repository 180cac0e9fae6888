import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAGE, PATH, request, useMockWorker, worker } from "./mock-worker.ts";

useMockWorker();

describe("the query parameter prefer", () => {
  test("works like the header, and applies to a whole crawl because the links keep it", async () => {
    let visited = 0;
    for (let url: string | null = `${PATH}?prefer=delay=1-2,fail=0,seed=4`; url !== null; visited++) {
      const response: Response = await worker.fetch(url);
      expect(response.headers.get("preference-applied")).toBe("delay=1-2, fail=0, seed=4");
      url = Object(await response.json()).next;
    }
    expect(visited).toBe(27);
  });

  test("has lower precedence than the header", async () => {
    const response = await request("code=404, delay=1", `${PAGE}&prefer=code=500,body=empty&prefer=fail=1`);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("");
    expect(response.headers.get("preference-applied")).toBe("code=404, delay=1, fail=1, body=empty");
  });

  test("makes the same random choices as the header", async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const byHeader = await request(`fail=0.5, seed=${seed}`);
      const byQuery = await worker.fetch(`${PAGE}&prefer=fail=0.5,seed=${seed}`);
      expect(byQuery.status).toBe(byHeader.status);
    }
  });

  test("can be percent-encoded", async () => {
    const response = await worker.fetch(`${PAGE}&%70refer=code=409`);
    expect(response.status).toBe(409);
  });

  test("is kept by a redirect, but does not change the body of the redirect", async () => {
    const response = await worker.fetch(`${PATH.slice(0, -1)}?prefer=body=cut,delay=1`);
    expect(response.status).toBe(301);
    expect(response.headers.get("location")).toBe(`${PATH}?prefer=body=cut,delay=1`);
    expect(response.headers.get("preference-applied")).toBe("delay=1");
  });
});

describe("an invalid option", () => {
  test("is ignored, with a warning", async () => {
    const response = await request("code=200, delay=5", PAGE);
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("delay=5");
    expect(response.headers.get("mock-warning")).toBe(
      "code=200 is ignored: code must be a whole number from 400 to 599",
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("cannot inject headers", async () => {
    const response = await worker.fetch(
      `${PAGE}&prefer=${encodeURIComponent("code=\r\nSet-Cookie: a=b\r\n\r\né")}`,
    );
    expect(response.status).toBe(200);
    expect(response.headers.has("set-cookie")).toBe(false);
    expect(response.headers.get("mock-warning")).toMatch(/^code=\?\?Set-Cookie: a=b/);
  });

  test("never causes an error", async () => {
    const name = fc.constantFrom("code", "delay", "fail", "seed", "body", "wait");
    // None of these values is valid, so none causes a delay or an error.
    const value = fc.string({ unit: "binary" }).map((value) => `x${value}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 5 }), async (sent) => {
        const prefer = sent.map(([name, value]) => `${name}=${value}`).join(",");
        const response = await worker.fetch(`${PAGE}&prefer=${encodeURIComponent(prefer.toWellFormed())}`);
        await response.text();
        expect(response.status).toBe(200);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a response that the mock changed is not cached", () => {
  test.each(["code=500", "body=empty", "body=garbage", "delay=1", "fail=0", "code=x"])(
    "%s",
    async (prefer) => {
      const usual = await (await worker.fetch(PAGE)).text();
      const response = await request(prefer);
      expect(response.headers.get("cache-control")).toContain("no-store");
      expect(response.headers.has("etag")).toBe(false);
      await response.text();
      const next = await worker.fetch(PAGE);
      expect(await next.text()).toBe(usual);
      expect(next.headers.has("preference-applied")).toBe(false);
    },
  );

  test("and is never 304", async () => {
    const etag = (await worker.fetch(PAGE)).headers.get("etag")!;
    expect((await worker.fetch(PAGE, { headers: { "If-None-Match": etag } })).status).toBe(304);
    const response = await request("delay=1", PAGE, { headers: { "If-None-Match": etag } });
    expect(response.status).toBe(200);
    expect(response.headers.has("etag")).toBe(false);
    const post = await request("delay=1", PAGE, {
      method: "POST",
      body: "x",
      headers: { "If-None-Match": etag },
    });
    expect(post.status).toBe(405);
  });
});

describe("for a script of another origin", () => {
  test("a preflight for Prefer is allowed, and the mock never changes it", async () => {
    const preflight = await request("code=503, delay=2000", `${PAGE}&prefer=code=503`, {
      method: "OPTIONS",
      headers: {
        Origin: "https://elsewhere.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "prefer",
      },
    });
    expect(preflight.status).toBe(204);
    // Without credentials `*` means every header except Authorization (Fetch standard, "CORS-preflight fetch").
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
    expect(preflight.headers.has("preference-applied")).toBe(false);
  });

  test.each(["code=503", "body=cut", "body=slow", "body=garbage, code=404", "code=1"])(
    "the response with %s can be read",
    async (prefer) => {
      const response = await request(prefer, PAGE, { headers: { Origin: "https://elsewhere.example" } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "*",
      });
      await response.body?.cancel();
    },
  );
});

test("body=cut also works behind the development server of wrangler", async () => {
  const response = await request("body=cut");
  expect(response.headers.get("content-length")).toBe(
    String((await (await worker.fetch(PAGE)).text()).length),
  );
  await expect(response.text()).rejects.toThrow("terminated");
});
