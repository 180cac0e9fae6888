import { describe, expect, test } from "vitest";
import { nextSlots, SLOT_MS, SLOTS_A_RUN } from "../../src/growth/period.ts";

const NOW = "2026-11-20T12:05:00Z";

describe("the slots that a run adds", () => {
  test.each<[string, string | null, string, [string, string] | undefined]>([
    ["the one that has ended", "2026-11-20T11:29:59Z", NOW, ["11:30", "12:00"]],
    ["the same wherever in its slot the newest record is", "2026-11-20T11:00:00Z", NOW, ["11:30", "12:00"]],
    ["it has ended at the very end", "2026-11-20T11:10:00Z", "2026-11-20T12:00:00.000Z", ["11:30", "12:00"]],
    ["none that has not ended", "2026-11-20T11:10:00Z", "2026-11-20T11:59:59.999Z", undefined],
    ["none that is loaded", "2026-11-20T11:30:00Z", NOW, undefined],
    ["none if the newest record is in the slot that has not ended", "2026-11-20T12:03:00Z", NOW, undefined],
    ["none if the newest record is to come", "2027-01-01T00:00:00Z", NOW, undefined],
    ["those of missed runs", "2026-11-20T10:40:00Z", NOW, ["11:00", "12:00"]],
    ["as many as a run may add, the oldest first", "2026-11-20T01:10:00Z", NOW, ["01:30", "02:30"]],
    ["of a day", "2026-11-19T11:59:59Z", NOW, ["-12:00", "-13:00"]],
    ["the last one alone after more than a day", "2026-11-19T11:29:59Z", NOW, ["11:30", "12:00"]],
    ["the last one alone after a year", "2025-11-02T23:59:59Z", NOW, ["11:30", "12:00"]],
    ["the last one alone in an empty collection", null, NOW, ["11:30", "12:00"]],
  ])("%s", (_, newest, now, expected) => {
    const date = (time: string) =>
      new Date(time.startsWith("-") ? `2026-11-19T${time.slice(1)}Z` : `2026-11-20T${time}Z`);
    const [from, to] = expected ?? [];
    expect(nextSlots(newest, new Date(now))).toEqual(from && to && { from: date(from), to: date(to) });
  });

  test("are at most so many that a missed day is made up for in another, while time goes on", () => {
    let newest = Date.parse("2026-11-19T12:00:00Z") - 1;
    let runs = 0;
    for (let now = Date.parse(NOW); ; now += SLOT_MS, runs++) {
      const slots = nextSlots(new Date(newest).toISOString(), new Date(now))!;
      expect(slots.from.getTime()).toBe(newest + 1);
      newest = slots.to.getTime() - 1;
      if (now - newest < SLOT_MS) break;
      expect(slots.to.getTime() - slots.from.getTime()).toBe(SLOTS_A_RUN * SLOT_MS);
    }
    expect(runs).toBeLessThanOrEqual(48);
  });
});
