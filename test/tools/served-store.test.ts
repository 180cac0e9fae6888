import { expect, test } from "vitest";
import { requireServedStore } from "../../tools/served-store.ts";

const bindings = { d1_databases: [{ binding: "DB" }], kv_namespaces: [{ binding: "KV" }] };
const createLimits = (name: string, period: number) => [{ name, simple: { period } }];

test.each([
  [{ STORE: "d1" }, 10],
  [{ STORE: "kv", RATE_LIMIT: "off" }, 10],
  [{ STORE: "seed", RATE_LIMIT: "10" }, 10],
  [{ STORE: "d1", RATE_LIMIT: "60" }, 60],
])("the settings %j are valid with a period of %i s", (vars, period) => {
  const ratelimits = createLimits("RATE_LIMITER", period);
  expect(requireServedStore({ ...bindings, vars, ratelimits })).toBe(vars.STORE);
});

test("another rate limit has nothing to do with RATE_LIMIT", () => {
  const vars = { STORE: "seed", RATE_LIMIT: "60" };
  expect(() => requireServedStore({ vars, ratelimits: createLimits("ANOTHER", 10) })).not.toThrow();
});

test("the seed needs no binding", () => expect(requireServedStore({ vars: { STORE: "seed" } })).toBe("seed"));

test.each([
  [{ STORE: "d1" }, 'STORE is "d1", but wrangler.toml binds no DB'],
  [{ STORE: "kv" }, 'STORE is "kv", but wrangler.toml binds no KV. Uncomment [[kv_namespaces]]'],
  [{ STORE: "sql" }, 'STORE is "sql"; it must be "d1", "kv" or "seed"'],
  [{}, "STORE is undefined"],
])("without bindings, the settings %j are refused", (vars, problem) =>
  expect(() => requireServedStore({ vars })).toThrow(problem),
);

test.each([
  ["60", 10],
  ["10", 60],
])("RATE_LIMIT %j does not match a period of %i s", (RATE_LIMIT, period) => {
  const settings = { vars: { STORE: "seed", RATE_LIMIT }, ratelimits: createLimits("RATE_LIMITER", period) };
  expect(() => requireServedStore(settings)).toThrow(
    `RATE_LIMIT is "${RATE_LIMIT}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s`,
  );
});
