import { describe, expect, test } from "vitest";
import { type OpenTarget, PATH, type Survey } from "../survey.ts";

/** What monitors and the tests of clients request. */
export function describeOperation(open: OpenTarget, survey: Survey): void {
  describe("/healthz", () => {
    test("reports that the service works, and must not be cached", async () => {
      const response = await open().fetch("/healthz");
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.json()).toMatchObject({
        status: "ok",
        code: { id: expect.any(String) },
        store: expect.stringMatching(/^(d1|kv|memory)$/),
        state: { count: expect.any(Number) },
      });
    });
  });

  describe("faults on request", () => {
    test("an error status says that it was requested", async () => {
      const response = await open().fetch(PATH, { headers: { prefer: "code=503" } });
      expect(response.status).toBe(503);
      expect(response.headers.get("preference-applied")).toBe("code=503");
      expect(response.headers.get("cache-control")).toBe("no-store");
    });

    test("a body can be empty", async () => {
      const response = await open().send(`${PATH}?prefer=body=empty`);
      expect([response.status, await response.text()]).toEqual([200, ""]);
    });

    test("the links of a page keep the parameter", async (context) => {
      survey.need(context, 2);
      const response = await open().send(`${PATH}?prefer=delay=1`);
      const { next } = Object(await response.json());
      expect(new URL(next).searchParams.get("prefer")).toBe("delay=1");
    });
  });
}
