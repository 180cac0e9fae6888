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
  const ratelimits = [...createLimits("ANOTHER", 10), ...createLimits("RATE_LIMITER", 60)];
  expect(requireServedStore({ vars, ratelimits })).toBe("seed");
  expect(() => requireServedStore({ vars, ratelimits: createLimits("ANOTHER", 60) })).toThrow(
    'RATE_LIMIT is "60", but wrangler.toml binds no RATE_LIMITER',
  );
});

test("the seed needs no binding", () => expect(requireServedStore({ vars: { STORE: "seed" } })).toBe("seed"));

test.each([
  [{ STORE: "d1" }, 'STORE is "d1", but no [[d1_databases]] binds DB in wrangler.toml'],
  [{ STORE: "kv" }, 'STORE is "kv", but no [[kv_namespaces]] binds KV in wrangler.toml'],
  [{ STORE: "sql" }, 'STORE is "sql"; it must be "d1", "kv" or "seed"'],
  [{}, "STORE is undefined"],
  [{ STORE: "seed", PUBLIC_ORIGIN: "counts.example" }, 'PUBLIC_ORIGIN is "counts.example"; it must be'],
  [{ STORE: "seed", PREFER: "dealy=5" }, 'PREFER is "dealy=5". dealy=5 is unknown. Did you mean delay?'],
  [{ STORE: "seed", FAULTS: false }, 'FAULTS is false; it must be "on" or "off"'],
  [{ STORE: "seed", RATE_LIMIT: 60 }, 'RATE_LIMIT is 60; it must be "off", "10" or "60"'],
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
