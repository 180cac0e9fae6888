import { expect, test } from "vitest";
import { decide, type Freshness } from "../../src/store/snapshot-cache.ts";

const read: Freshness = { freshFrom: 0, refreshingFrom: undefined };
const refreshedEarly: Freshness = { freshFrom: 0, refreshingFrom: 5_000 };
const refreshedLate: Freshness = { freshFrom: 0, refreshingFrom: 5_999 };
const failed: Freshness = { freshFrom: 8_000, refreshingFrom: undefined };

test.each<[name: string, freshness: Freshness, now: number, decision: ReturnType<typeof decide>]>([
  ["has just been read", read, 0, "serve"],
  ["is not yet 5 s old", read, 4_999, "serve"],
  ["expires", read, 5_000, "refresh"],
  ["expired less than a second ago", read, 5_999, "refresh"],
  ["expired a second ago, because the instance was idle", read, 6_000, "read"],
  ["expired an hour ago", read, 3_600_000, "read"],
  ["is being refreshed since its expiry", refreshedEarly, 5_000, "serve"],
  ["is being refreshed for less than 3 s", refreshedEarly, 7_999, "serve"],
  ["was to be refreshed by a read that did not end", refreshedEarly, 8_000, "read"],
  ["is being refreshed since the end of the second", refreshedLate, 8_998, "serve"],
  ["is nearly 9 s old, although it is being refreshed", refreshedLate, 8_999, "read"],
  ["is fresh again after a failed read", failed, 12_999, "serve"],
  ["expires again after a failed read", failed, 13_000, "refresh"],
])("a cached snapshot that %s", (_, freshness, now, decision) => {
  expect(decide(freshness, now)).toBe(decision);
});
