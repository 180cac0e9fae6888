import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { context, useWorker } from "../worker.ts";
import { ask, expectUnavailable, PATH } from "./answers.ts";
import { loggedReasons } from "./logged.ts";

const worker = useWorker();

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a wrong setting causes 503, and the log names it", () => {
  test.each<[Partial<Env>, string]>([
    [{ STORE: "sqlite" }, 'STORE is "sqlite"; it must be "d1" or "kv"'],
    [{ STORE: "" }, 'STORE is ""; it must be "d1" or "kv"'],
    [{ STORE: "D1" }, 'STORE is "D1"; it must be "d1" or "kv"'],
    [{ PUBLIC_ORIGIN: "counts.example" }, 'PUBLIC_ORIGIN is "counts.example"'],
    [{ PUBLIC_ORIGIN: "https://counts.example/path" }, 'PUBLIC_ORIGIN is "https://counts.example/path"'],
    [{ RATE_LIMIT: "on" }, 'RATE_LIMIT is "on"; it must be "off", "10" or "60"'],
    [{ RATE_LIMIT: "" }, 'RATE_LIMIT is ""; it must be "off", "10" or "60"'],
    [{ RATE_LIMIT: "30" }, 'RATE_LIMIT is "30"; it must be "off", "10" or "60"'],
  ])("%j", async (setting, message) => {
    const env = { ...worker.env, ...setting };
    await expectUnavailable(await ask(env));
    expect(loggedReasons()[0]).toContain(message);
  });

  test("no STORE at all", async () => {
    const { STORE: _, ...env } = worker.env;
    await expectUnavailable(await ask(env));
    expect(loggedReasons()[0]).toContain("STORE is undefined");
  });

  test("RATE_LIMIT is 60, but wrangler.toml binds no limiter", async () => {
    const { RATE_LIMITER: _, ...env } = worker.env;
    await expectUnavailable(await ask({ ...env, RATE_LIMIT: "60" }));
    expect(loggedReasons()[0]).toContain('RATE_LIMIT is "60", but wrangler.toml binds no RATE_LIMITER');
  });

  test("a rate limiter that fails lets all requests pass, and the failure is logged", async () => {
    const RATE_LIMITER = { limit: () => Promise.reject(new Error("limiter is down")) };
    const headers = { "CF-Connecting-IP": "192.0.2.4" };
    const response = await ask({ ...worker.env, RATE_LIMIT: "60", RATE_LIMITER }, 1, headers);
    expect(response.status).toBe(200);
    const lines = vi.mocked(console.error).mock.calls.map(([line]) => JSON.parse(line));
    expect(lines).toEqual([
      { event: "rate_limit_failed", reason: "Error: limiter is down", at: expect.any(Array) },
    ]);
    expect(JSON.stringify(lines), "nothing of the client").not.toContain("192.0.2.4");
  });

  test("clients are counted by address, and those without one are counted together", async () => {
    const keys: string[] = [];
    const RATE_LIMITER = {
      async limit({ key }: { key: string }) {
        keys.push(key);
        return { success: true };
      },
    };
    const env = { ...worker.env, RATE_LIMIT: "60", RATE_LIMITER };
    for (const address of ["192.0.2.4", "2001:db8::1"]) await ask(env, 1, { "CF-Connecting-IP": address });
    for (let request = 0; request < 2; request++) await ask(env);
    expect(keys).toEqual(["192.0.2.4", "2001:db8:0:0::/64", "unknown", "unknown"]);
  });

  test.each(["d1", "kv"])("STORE is %s, but wrangler.toml binds none", async (STORE) => {
    const env = { STORE } as Env;
    await expectUnavailable(await ask(env));
    expect(loggedReasons()).toEqual([
      expect.stringContaining("TypeError: Cannot read properties of undefined"),
    ]);
  });

  test("responses that need no store are served all the same", async () => {
    const env = { ...worker.env, STORE: "sqlite" };
    const send = (path: string, method: string) => app.request(path, { method }, env, context);
    expect((await send(PATH, "OPTIONS")).status).toBe(200);
    expect((await send(PATH, "POST")).status).toBe(405);
    expect((await send(`${PATH}?page=0`, "GET")).status).toBe(404);
    expect((await send("/elsewhere", "GET")).status).toBe(404);
  });
});
