import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { context, type RunningWorker, startWorker } from "../worker.ts";

const PATH = "/api/tf1/records/?page=2";

async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(await response.text()).toBe('{"detail":"Service temporarily unavailable, try again later."}');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "retry-after": "5",
    allow: "GET, OPTIONS",
    vary: "Accept",
    "content-type": "application/json",
    "access-control-allow-origin": "*",
  });
}

describe("a database without the tables", () => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ migrate: false });
  });
  afterAll(() => worker.close());

  test("is 503", async () => expectUnavailable(await worker.fetch(PATH)));

  test("does not matter to what needs no record", async () => {
    expect((await worker.fetch(PATH, { method: "OPTIONS" })).status).toBe(200);
    expect((await worker.fetch(PATH, { method: "POST" })).status).toBe(405);
    expect((await worker.fetch("/api/tf1/records/?page=0")).status).toBe(404);
  });
});

describe("a database without a state", () => {
  test("is 503, not an empty collection", async () => {
    const worker = await startWorker();
    await worker.env.DB.prepare("DELETE FROM state").run();
    await expectUnavailable(await worker.fetch(PATH));
    await worker.close();
  });
});

describe("a binding that fails", () => {
  test.each([
    [
      "throws at once",
      () => {
        throw new Error("D1_ERROR: secret inside");
      },
    ],
    [
      "rejects",
      () => ({ bind: () => ({ first: () => Promise.reject(new Error("D1_ERROR: secret inside")) }) }),
    ],
  ])("%s: 503, and the log has the reason", async (_, prepare) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const env = { STORE: "d1", DB: { withSession: () => ({ prepare }) } } as unknown as Env;
    await expectUnavailable(await app.request(PATH, {}, env, context));
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: "D1_ERROR: secret inside" }));
    log.mockRestore();
  });
});

describe("a wrong setting", () => {
  test("PUBLIC_ORIGIN without scheme is 503, and the log names it", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const worker = await startWorker();
    const env = { ...worker.env, PUBLIC_ORIGIN: "counts.example" };
    await expectUnavailable(await app.request("/api/tf1/records/", {}, env, context));
    expect(String(log.mock.calls[0])).toContain('PUBLIC_ORIGIN is "counts.example"');
    log.mockRestore();
    await worker.close();
  });
});
