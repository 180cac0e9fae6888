import { describe, expect, test } from "vitest";
import type { Day, Hour } from "../../src/store/stored-statistics.ts";
import { HoursChart } from "../../src/views/home/hours-chart.tsx";
import { groupIntoPeriods } from "../../src/views/home/summary.ts";
import { formatCompact, formatMean, formatNumber, formatShare } from "../../src/views/text-format.ts";
import { extractText } from "../support/html-view.ts";

test("numbers have separators, and in narrow columns units, and shares have one decimal", () => {
  const numbers = [0, 999, 1_000, 40_614, 1_000_000, 123_456_789_012_345_680_000].map(formatNumber);
  expect(numbers).toEqual(["0", "999", "1,000", "40,614", "1,000,000", "123,456,789,012,345,680,000"]);
  expect([999_999, 1_234_567, 27_200_000_000].map(formatCompact)).toEqual(["999,999", "1.23M", "27.2B"]);
  expect([0.123, 6.25, 1_234.5, 27_200_000].map(formatMean)).toEqual(["0.12", "6.3", "1,235", "27.2M"]);
  // Only exact shares are 0 and 100 %.
  const shares = [0, 1, 17_200, 19_999, 20_000].map((part) => formatShare(part, 20_000));
  expect(shares.map((share) => share.replace("\u00a0%", ""))).toEqual(["0", "0.1", "86.0", "99.9", "100"]);
});

describe("periods", () => {
  const DAY_MS = 86_400_000;
  const toDate = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
  const makeDay = (day: number): Day => [toDate(day), 10, 2, 1, 30];
  const makeDays = (count: number, step = 1) =>
    Array.from({ length: count }, (_, index) => makeDay(17_897 + index * step));

  test.each([
    [0, 1, "day", 0],
    [124, 1, "day", 124],
    [125, 1, "month", 5],
    [3_773, 1, "month", 124],
    [3_774, 1, "year", 11],
    [100, 1_000, "day", 100],
  ])("of %i days with a step of %i are %ss: %i", (days, step, unit, periods) => {
    const grouped = groupIntoPeriods(makeDays(days, step));
    expect([grouped.unit, grouped.periods.length]).toEqual([unit, periods]);
  });

  test("contain the sums of their days, newest first", () => {
    const days: Day[] = [...makeDays(200), ["2020-02-03", 6, 2, 3, 7], ["2020-02-05", 60, 20, 30, 50]];
    const sums = { records: 66, failing: 22, unknown: 33, road_users: 57, mean_road_users: 1.295 };
    const { periods } = groupIntoPeriods(days);
    expect(periods[0]).toEqual({ first: "2020-02-03", last: "2020-02-05", ...sums });
    expect(periods.map(({ records }) => records)).toEqual([66, 190, 300, 310, 300, 310, 280, 310]);
  });
});

describe("the chart", () => {
  const renderChart = (weekdays: Hour[], weekends: Hour[]) => String(HoursChart({ weekdays, weekends }));
  const fill = (known: Record<number, Hour>) =>
    Array.from({ length: 24 }, (_, hour): Hour => known[hour] ?? [0, 0]);

  test("has a line with gaps for weekdays and for weekends, with its highest and its lowest hour", () => {
    const weekdays = fill({ 7: [2, 40], 8: [1, 5], 12: [1, 0] });
    // The means are 2 and 2.01, which look equal.
    const html = renderChart(weekdays, fill({ 9: [100, 200], 10: [100, 201] }));
    // Hours 7 and 8 are a line, and hour 12 is a dot. The axis ends at 30, because a dot at 20 would be half outside of it.
    expect(html).toContain('<path class="weekdays" d="M7.5 33.3h0L8.5 83.3M12.5 100.0h0"></path>');
    expect(html).toContain('<path class="weekends" d="M9.5 93.3h0L10.5 93.3"></path>');
    for (const line of [
      "Monday to Friday: highest 20.0 (07:00–08:00 UTC), lowest 0.00 (12:00–13:00 UTC).",
      "Saturday and Sunday: 2.0 in every hour that has records.",
    ])
      expect(extractText(html)).toContain(line);
  });

  test.each([
    [10.2, "12 6 0"],
    [0.11, "0.12 0.06 0"],
    [27_200_000, "30M 15M 0"],
  ])("with a maximum of %d road users has the axis %s", (mean, scale) => {
    const html = renderChart(fill({ 7: [1, mean] }), fill({}));
    const labels = Array.from(html.matchAll(/data-label="(.*?)"/g), ([, label]) => label);
    expect(labels.slice(0, 3).join(" ")).toBe(scale);
    expect(html).toContain("(07:00–08:00 UTC). No other hour has records.");
    expect(html).toContain("Saturday and Sunday: no records.");
  });
});
