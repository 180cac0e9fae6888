import { describe, expect, test } from "vitest";
import { getHourlyProfile } from "../../src/generator/counts.ts";

describe("getHourlyProfile", () => {
  test.each([
    ["2025-10-31T15:59:59Z", "Friday, 16 h local", { traffic: 0.92, trucks: 0.52 }],
    ["2025-10-31T16:00:00Z", "Friday, 17 h local", { traffic: 1, trucks: 0.36 }],
    ["2025-10-31T22:59:59Z", "Friday, 23 h local", { traffic: 0.22, leisure: 0.14 }],
    ["2025-10-31T23:00:00Z", "Saturday, 0 h local", { traffic: 0.2, leisure: 0.18 }],
    ["2025-11-02T11:00:00Z", "Sunday, 12 h local", { leisure: 1.1, buses: 0.46 }],
    ["2025-11-02T23:00:00Z", "Monday, 0 h local", { traffic: 0.12, errands: 0.08 }],
    ["1970-01-01T07:00:00Z", "Thursday, 8 h local", { traffic: 0.9 }],
  ])("%s: %s", (timestamp, _, profile) => {
    expect(getHourlyProfile(Date.parse(timestamp) / 1000)).toMatchObject(profile);
  });
});
