import { describe, expect, test } from "vitest";
import { INTERVAL_MS, MAX_INTERVALS_PER_RUN, nextPeriod } from "../../src/growth/period.ts";

const NOW = "2026-11-20T12:05:00Z";

describe("nextPeriod", () => {
  test.each<[string, string | null, string, [string, string] | undefined]>([
    ["is the interval that has ended", "2026-11-20T11:29:59Z", NOW, ["11:30", "12:00"]],
    [
      "does not depend on where in its interval the newest record is",
      "2026-11-20T11:00:00Z",
      NOW,
      ["11:30", "12:00"],
    ],
    [
      "includes an interval that ends exactly now",
      "2026-11-20T11:10:00Z",
      "2026-11-20T12:00:00.000Z",
      ["11:30", "12:00"],
    ],
    [
      "excludes an interval that has not ended",
      "2026-11-20T11:10:00Z",
      "2026-11-20T11:59:59.999Z",
      undefined,
    ],
    ["excludes an interval that is loaded", "2026-11-20T11:30:00Z", NOW, undefined],
    ["is undefined if the newest record is in the current interval", "2026-11-20T12:03:00Z", NOW, undefined],
    ["is undefined if the newest record is in the future", "2027-01-01T00:00:00Z", NOW, undefined],
    ["includes the intervals of missed runs", "2026-11-20T10:40:00Z", NOW, ["11:00", "12:00"]],
    ["is limited to the first intervals that a run may add", "2026-11-20T01:10:00Z", NOW, ["01:30", "02:30"]],
    ["starts up to a day ago", "2026-11-19T11:59:59Z", NOW, ["-12:00", "-13:00"]],
    ["is only the last interval after more than a day", "2026-11-19T11:29:59Z", NOW, ["11:30", "12:00"]],
    ["is only the last interval after a year", "2025-11-02T23:59:59Z", NOW, ["11:30", "12:00"]],
    ["is only the last interval in an empty collection", null, NOW, ["11:30", "12:00"]],
  ])("%s", (_, newest, now, expected) => {
    const date = (time: string) =>
      new Date(time.startsWith("-") ? `2026-11-19T${time.slice(1)}Z` : `2026-11-20T${time}Z`);
    const [from, to] = expected ?? [];
    expect(nextPeriod(newest, new Date(now))).toEqual(from && to && { from: date(from), to: date(to) });
  });

  test("covers a missed day within another day of runs", () => {
    let newest = Date.parse("2026-11-19T12:00:00Z") - 1;
    let runs = 0;
    for (let now = Date.parse(NOW); ; now += INTERVAL_MS, runs++) {
      const period = nextPeriod(new Date(newest).toISOString(), new Date(now))!;
      expect(period.from.getTime()).toBe(newest + 1);
      newest = period.to.getTime() - 1;
      if (now - newest < INTERVAL_MS) break;
      expect(period.to.getTime() - period.from.getTime()).toBe(MAX_INTERVALS_PER_RUN * INTERVAL_MS);
    }
    expect(runs).toBeLessThanOrEqual(48);
  });
});
