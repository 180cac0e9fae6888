import { expect, test } from "vitest";
import { requirePeriod } from "../../tools/rate-limit.ts";

const configure = (period: number) => ({ ratelimits: [{ name: "RATE_LIMITER", simple: { period } }] });

test.each([
  ["off", configure(10)],
  [undefined, configure(10)],
  ["10", configure(10)],
  ["60", configure(60)],
  ["60", {}],
  ["60", { ratelimits: [{ name: "ANOTHER", simple: { period: 10 } }] }],
])("RATE_LIMIT %j agrees with %j", (setting, configuration) =>
  expect(() => requirePeriod(setting, configuration)).not.toThrow(),
);

test.each([
  ["60", 10],
  ["10", 60],
])("RATE_LIMIT %j does not agree with a period of %i s", (setting, period) =>
  expect(() => requirePeriod(setting, configure(period))).toThrow(
    `RATE_LIMIT is "${setting}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s`,
  ),
);
