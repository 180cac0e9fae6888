import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ask, PAGE, PATH, useWorker, worker } from "./asking.ts";

useWorker();

describe("the query parameter", () => {
  test("does what the header does, and is kept in the links: the whole crawl misbehaves", async () => {
    let visited = 0;
    for (let url: string | null = `${PATH}?prefer=delay=1-2,fail=0,seed=4`; url !== null; visited++) {
      const answer: Response = await worker.fetch(url);
      expect(answer.headers.get("preference-applied")).toBe("delay=1-2, fail=0, seed=4");
      url = Object(await answer.json()).next;
    }
    expect(visited).toBe(27);
  });

  test("comes after the header", async () => {
    const answer = await ask("code=404, delay=1", `${PAGE}&prefer=code=500,body=empty&prefer=fail=1`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe("");
    expect(answer.headers.get("preference-applied")).toBe("code=404, delay=1, fail=1, body=empty");
  });

  test("draws the same as the header", async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const byHeader = await ask(`fail=0.5, seed=${seed}`);
      const byQuery = await worker.fetch(`${PAGE}&prefer=fail=0.5,seed=${seed}`);
      expect(byQuery.status).toBe(byHeader.status);
    }
  });

  test("is the same however its name is written, as the links that keep it are", async () => {
    const answer = await worker.fetch(`${PAGE}&%70refer=code=409`);
    expect(answer.status).toBe(409);
  });

  test("on a redirect, which has no body to break, is kept", async () => {
    const answer = await worker.fetch(`${PATH.slice(0, -1)}?prefer=body=cut,delay=1`);
    expect(answer.status).toBe(301);
    expect(answer.headers.get("location")).toBe(`${PATH}?prefer=body=cut,delay=1`);
    expect(answer.headers.get("preference-applied")).toBe("delay=1");
  });
});

describe("what is not understood", () => {
  test("is ignored and warned of", async () => {
    const answer = await ask("code=200, delay=5", PAGE);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("preference-applied")).toBe("delay=5");
    expect(answer.headers.get("mock-warning")).toBe(
      "code=200 is ignored: code must be a whole number from 400 to 599",
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("puts nothing into the head of the answer", async () => {
    const answer = await worker.fetch(
      `${PAGE}&prefer=${encodeURIComponent("code=\r\nSet-Cookie: a=b\r\n\r\né")}`,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.has("set-cookie")).toBe(false);
    expect(answer.headers.get("mock-warning")).toMatch(/^code=\?\?Set-Cookie: a=b/);
  });

  test("never is an error", async () => {
    const name = fc.constantFrom("code", "delay", "fail", "seed", "body", "wait");
    // No value of these is one that is waited for, or an error.
    const value = fc.string({ unit: "binary" }).map((value) => `x${value}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 5 }), async (sent) => {
        const prefer = sent.map(([name, value]) => `${name}=${value}`).join(",");
        const answer = await worker.fetch(`${PAGE}&prefer=${encodeURIComponent(prefer.toWellFormed())}`);
        await answer.text();
        expect(answer.status).toBe(200);
      }),
      { numRuns: 200 },
    );
  });
});

describe("nobody else gets a misbehaving answer", () => {
  test.each(["code=500", "body=empty", "body=garbage", "delay=1", "fail=0", "code=x"])(
    "%s",
    async (prefer) => {
      const usual = await (await worker.fetch(PAGE)).text();
      const answer = await ask(prefer);
      expect(answer.headers.get("cache-control")).toContain("no-store");
      expect(answer.headers.has("etag")).toBe(false);
      await answer.text();
      const next = await worker.fetch(PAGE);
      expect(await next.text()).toBe(usual);
      expect(next.headers.has("preference-applied")).toBe(false);
    },
  );

  test("and it is never 304", async () => {
    const etag = (await worker.fetch(PAGE)).headers.get("etag")!;
    expect((await worker.fetch(PAGE, { headers: { "If-None-Match": etag } })).status).toBe(304);
    const answer = await ask("delay=1", PAGE, { headers: { "If-None-Match": etag } });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("etag")).toBe(false);
    const post = await ask("delay=1", PAGE, {
      method: "POST",
      body: "x",
      headers: { "If-None-Match": etag },
    });
    expect(post.status).toBe(405);
  });
});

describe("from a script of another origin", () => {
  test("a preflight for Prefer is allowed, and never altered", async () => {
    const preflight = await ask("code=503, delay=2000", `${PAGE}&prefer=code=503`, {
      method: "OPTIONS",
      headers: {
        Origin: "https://elsewhere.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "prefer",
      },
    });
    expect(preflight.status).toBe(204);
    // Without credentials `*` stands for every header but Authorization (Fetch standard, "CORS-preflight fetch").
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
    expect(preflight.headers.has("preference-applied")).toBe(false);
  });

  test.each(["code=503", "body=cut", "body=slow", "body=garbage, code=404", "code=1"])(
    "%s can be read",
    async (prefer) => {
      const answer = await ask(prefer, PAGE, { headers: { Origin: "https://elsewhere.example" } });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "*",
      });
      await answer.body?.cancel();
    },
  );
});

test("through wrangler's own server a body is cut all the same", async () => {
  const answer = await ask("body=cut");
  expect(answer.headers.get("content-length")).toBe(String((await (await worker.fetch(PAGE)).text()).length));
  await expect(answer.text()).rejects.toThrow("terminated");
});
