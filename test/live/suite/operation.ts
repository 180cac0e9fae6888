import { describe, expect, test } from "vitest";
import { type OpenTarget, PATH, type Survey } from "../survey.ts";

/** What monitors and tests of clients ask for. */
export function describeOperation(open: OpenTarget, survey: Survey): void {
  describe("/healthz", () => {
    test("says that all is well, for nobody to keep", async () => {
      const response = await open().fetch("/healthz");
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.json()).toMatchObject({
        status: "ok",
        code: { id: expect.any(String) },
        store: expect.stringMatching(/^(d1|kv)$/),
        state: { version: expect.any(Number), count: expect.any(Number) },
      });
    });
  });

  describe("misbehaviour on request", () => {
    test("a status, which says that it was asked for", async () => {
      const response = await open().fetch(PATH, { headers: { prefer: "code=503" } });
      expect(response.status).toBe(503);
      expect(response.headers.get("preference-applied")).toBe("code=503");
      expect(response.headers.get("cache-control")).toBe("no-store");
    });

    test("an empty body", async () => {
      const response = await open().send(`${PATH}?prefer=body=empty`);
      expect([response.status, await response.text()]).toEqual([200, ""]);
    });

    test("the parameter stays in the links", async (context) => {
      survey.need(context, 2);
      const response = await open().send(`${PATH}?prefer=delay=1`);
      const { next } = Object(await response.json());
      expect(new URL(next).searchParams.get("prefer")).toBe("delay=1");
    });
  });
}
