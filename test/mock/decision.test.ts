import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCounter, createRandom, decide, pageKey, requestKey } from "../../src/mock/decision.ts";

const PATH = "/api/tf1/records/";
const key = (target: string, method = "GET") => requestKey(method, new URL(target, "http://localhost"));
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => key(`${PATH}?page=${index + 1}`));

describe("the key of a request consists of its method, path and query", () => {
  test.each([
    [key(`${PATH}?page=2`), key(`${PATH}?page=3`)],
    [key(PATH), key("/")],
    [key(`${PATH}?a=1`), key(`${PATH}?a=2`)],
    [key(PATH), key(PATH, "POST")],
  ])("%s is not %s", (one, other) => expect(one).not.toBe(other));

  test.each([
    [`${PATH}?page=2&format=api&z=1`, `${PATH}?z=1&format=api&page=2`],
    [`${PATH}?page=2&prefer=fail=0.1,seed=4`, `${PATH}?page=2`],
    [`http://127.0.0.1:9000${PATH}`, PATH],
    [`${PATH}?page=3`, `${PATH}?page=5&format=api&page=003`],
    [PATH, `${PATH}?format=json&page=1`],
  ])("%s has the key of %s", (one, other) => {
    expect(key(one)).toBe(key(other));
    expect(key(one, "HEAD")).toBe(key(other));
  });
});

describe("with a seed", () => {
  test("the numbers never change between versions, so that tests can be repeated", async () => {
    const random = createRandom(4, pageKey("GET", new URL(`https://one.example${PATH}?run=a&page=002`)));
    expect(await random("fail")).toBe(0.48626759205944836);
    expect(await random("delay")).toBe(0.10870773461647332);
  });

  test("the given share of pages fails, and all of them at a higher rate", async () => {
    const failing = async (fail: number) => {
      const decisions = await Promise.all(
        pages(2_000).map((page) => decideFor({ fail }, createRandom(1, page))),
      );
      return decisions.flatMap(({ status }, index) => (status === 503 ? [index] : []));
    };
    const [few, many] = [await failing(0.1), await failing(0.3)];
    // The standard deviation is 13. The limit is five standard deviations.
    expect(Math.abs(few.length - 200)).toBeLessThan(67);
    expect(many).toEqual(expect.arrayContaining(few));
  });
});

test("different seeds, pages and purposes get different numbers, and without a seed each request does", async () => {
  const sources = [...pages(50).flatMap((page) => [createRandom(1, page), createRandom(2, page)])];
  const unseeded = Array(100).fill(createRandom(undefined, key(PATH)));
  const numbers = [...sources, ...unseeded].flatMap((random) => [random("fail"), random("delay")]);
  expect(new Set(await Promise.all(numbers)).size).toBe(400);
});

test("a delay is chosen from the whole range, both ends included", async () => {
  const number = fc.oneof(
    fc.constantFrom(0, 1 - 2 ** -32),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), fc.nat(10_000), number, async (one, other, number) => {
      const [min, max] = [Math.min(one, other), Math.max(one, other)];
      const { delayMs } = await decideFor({ delay: { min, max } }, async () => number);
      expect(delayMs).toSatisfy((ms: number) => Number.isInteger(ms) && ms >= min && ms <= max);
      if (number === 0) expect(delayMs).toBe(min);
      if (number === 1 - 2 ** -32) expect(delayMs).toBe(max);
    }),
  );
});

function decideFor(options: Parameters<typeof decide>[0], random: ReturnType<typeof createRandom>) {
  return decide(options, { page: undefined, now: 0, count: async () => 1, random });
}

test("the counter forgets the key that was used longest ago if there are more than 10,000", async () => {
  const { count } = createCounter();
  for (let index = 1; index <= 10_000; index++) await count(`key ${index}`);
  expect(await count("key 1")).toBe(2);
  await count("new");
  expect([await count("key 1"), await count("new"), await count("key 2")]).toEqual([3, 2, 1]);
});
