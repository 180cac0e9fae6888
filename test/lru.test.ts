import { expect, test } from "vitest";
import { createLru } from "../src/lru.ts";

test("a full cache evicts the value that was neither read nor written for the longest time", () => {
  const cache = createLru<string, number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.set("a", 3);
  cache.set("c", 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([3, undefined, 4]);
  cache.get("a");
  cache.set("d", 5);
  expect([cache.get("a"), cache.get("c"), cache.get("d")]).toEqual([3, undefined, 5]);
});
