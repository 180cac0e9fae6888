import { expect, test } from "vitest";
import { assignNamespaceIds, requirePeriod } from "../../tools/rate-limit.ts";

const configure = (period: number) => ({ ratelimits: [{ name: "RATE_LIMITER", simple: { period } }] });

test.each([
  ["off", configure(10)],
  [undefined, configure(10)],
  ["10", configure(10)],
  ["60", configure(60)],
  ["60", {}],
  ["60", { ratelimits: [{ name: "ANOTHER", simple: { period: 10 } }] }],
])("RATE_LIMIT %j matches the configuration %j", (setting, configuration) =>
  expect(() => requirePeriod(setting, configuration)).not.toThrow(),
);

test.each([
  ["60", 10],
  ["10", 60],
])("RATE_LIMIT %j does not match a period of %i s", (setting, period) =>
  expect(() => requirePeriod(setting, configure(period))).toThrow(
    `RATE_LIMIT is "${setting}", but [[ratelimits]] in wrangler.toml counts in periods of ${period} s`,
  ),
);

test.each([
  ["traffic-count-records", "RATE_LIMITER", "1696214607"],
  ["traffic-count-records-preview-login", "RATE_LIMITER", "442645236"],
  ["traffic-count-records", "ANOTHER", "990002253"],
])("the limits of %s with the binding %s are always counted as namespace %s", (worker, name, namespace_id) =>
  expect(assignNamespaceIds(worker, [{ name, period: 10 }])).toEqual([{ name, period: 10, namespace_id }]),
);
