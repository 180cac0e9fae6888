import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, decide, listApplied, pickFrom, requestKey } from "../../src/mock/decision.ts";
import { readOptions } from "../../src/mock/options.ts";
import { readPreferHeader } from "../../src/mock/prefer-header.ts";

const ORIGIN = "http://localhost";
const PATH = "/api/tf1/records/";
/** A time 2 seconds after a multiple of 10 seconds. */
const NOW = 1_700_000_002_000;
const key = (target: string, method = "GET") =>
  requestKey(method, new URL(target.startsWith("/") ? ORIGIN + target : target));
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => key(`${PATH}?page=${index + 1}`));
const decideFor = (text: string, request = key(PATH)) => {
  const { options } = readOptions(readPreferHeader(text));
  const random = createRandom(options.seed, request);
  return decide(options, { random, now: NOW, isTarget: true });
};

const seed = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const request = fc.tuple(fc.constantFrom("GET", "POST"), fc.webPath(), fc.webQueryParameters());

describe("the key of a request consists of its method, path and query", () => {
  test.each([
    [`${PATH}?page=2`, `${PATH}?page=3`],
    [PATH, "/"],
    [`${PATH}?a=1`, `${PATH}?a=2`],
  ])("%s and %s have different keys", (one, other) => expect(key(one)).not.toBe(key(other)));

  test("GET and POST have different keys", () => expect(key(PATH)).not.toBe(key(PATH, "POST")));
  test("HEAD and GET have the same key", () => expect(key(PATH, "HEAD")).toBe(key(PATH)));

  test.each([
    [`${PATH}?page=2&format=api`, `${PATH}?format=api&page=2`],
    [`${PATH}?page=2&prefer=fail=0.1,seed=4`, `${PATH}?page=2`],
    [`http://127.0.0.1:9000${PATH}`, PATH],
    [`${PATH}?page=3`, `${PATH}?format=api&page=3`],
    [`${PATH}?page=3`, `${PATH}?page=5&page=003`],
    [PATH, `${PATH}?format=json&page=1`],
  ])("%s and %s have the same key", (one, other) => expect(key(one)).toBe(key(other)));
});

describe("with a seed", () => {
  test("the same request gets the same number, from 0 to less than 1", async () => {
    await fc.assert(
      fc.asyncProperty(seed, request, async (seed, [method, path, query]) => {
        const request = key(`/${path}?${query}`, method);
        const number = await createRandom(seed, request)("fail");
        expect(await createRandom(seed, request)("fail")).toBe(number);
        expect(number).toSatisfy((value: number) => value >= 0 && value < 1);
      }),
    );
  });

  test("the numbers never change between versions, so that existing tests can be repeated", async () => {
    expect(await createRandom(4, key(`${PATH}?page=2`))("fail")).toBe(0.48626759205944836);
    expect(await createRandom(4, key(`${PATH}?page=2`))("delay")).toBe(0.10870773461647332);
  });

  test("different seeds, pages and purposes get different numbers", async () => {
    const numbers = await Promise.all(
      pages(100).flatMap((page) =>
        [1, 2, 3].flatMap((seed) => [createRandom(seed, page)("fail"), createRandom(seed, page)("delay")]),
      ),
    );
    expect(new Set(numbers).size).toBe(600);
  });

  test.each([1, 2, 3])("the given share of pages fails with seed %i", async (seed) => {
    const decisions = await Promise.all(
      pages(2_000).map((page) => decideFor(`fail=0.1, seed=${seed}`, page)),
    );
    const failed = decisions.filter(({ status }) => status === 503).length;
    // The standard deviation is 13. The limit is five standard deviations.
    expect(failed).toSatisfy((number: number) => Math.abs(number - 200) < 67);
  });

  test("a page that fails at one rate fails at every higher rate", async () => {
    for (const page of pages(50)) {
      const failed: boolean[] = [];
      for (const rate of [0, 0.2, 0.5, 0.8, 1])
        failed.push((await decideFor(`fail=${rate}, seed=9`, page)).status === 503);
      expect(failed).toEqual(failed.toSorted());
      expect([failed.at(0), failed.at(-1)]).toEqual([false, true]);
    }
  });
});

test("without a seed the same request gets a different number each time", async () => {
  const random = createRandom(undefined, key(PATH));
  const numbers = await Promise.all(Array.from({ length: 100 }, () => random("fail")));
  expect(new Set(numbers).size).toBe(100);
});

test("a delay is picked from the whole range, both ends included", () => {
  fc.assert(
    fc.property(
      fc.nat(10_000),
      fc.nat(10_000),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (one, other, number) => {
        const range = { min: Math.min(one, other), max: Math.max(one, other) };
        expect(pickFrom(range, number)).toSatisfy(
          (picked: number) => Number.isInteger(picked) && picked >= range.min && picked <= range.max,
        );
        expect(pickFrom(range, 0)).toBe(range.min);
        expect(pickFrom(range, 1 - 2 ** -32)).toBe(range.max);
      },
    ),
  );
});

describe("the decision about a request", () => {
  test.each<[string, object]>([
    ["", { delayMs: 0, status: undefined, applied: [] }],
    ["seed=4", { delayMs: 0, status: undefined, applied: [] }],
    ["code=404", { status: 404, applied: ["code"] }],
    ["code=404, seed=4", { status: 404, applied: ["code"] }],
    ["delay=7", { delayMs: 7, status: undefined, applied: ["delay"] }],
    ["delay=7-7, seed=4", { delayMs: 7, applied: ["delay"] }],
    ["body=slow", { status: undefined, faults: { body: "slow" }, applied: ["body"] }],
    ["code=500, body=cut", { status: 500, faults: { body: "cut" }, applied: ["code", "body"] }],
    ["fail=1", { status: 503, applied: ["fail"] }],
    ["fail=1.0, code=429", { status: 429, applied: ["code", "fail"] }],
    ["fail=1, body=cut", { status: undefined, faults: { body: "cut" }, applied: ["fail", "body"] }],
    ["fail=0", { status: undefined, applied: ["fail"] }],
    ["fail=0, code=429, body=cut", { status: undefined, applied: ["fail"] }],
    ["outage=3/10", { status: 503, applied: ["outage"] }],
    ["outage=2/10", { status: undefined, applied: ["outage"] }],
    ["outage=3/10, code=500", { status: 500, applied: ["code", "outage"] }],
    ["outage=2/10, fail=1", { status: 503, applied: ["fail", "outage"] }],
    ["code=500, until=2023-11-14T22:13:23Z", { status: 500, applied: ["code", "until"] }],
    ["code=500, delay=5, until=2023-11-14T22:13:22Z", { status: undefined, delayMs: 0, applied: ["until"] }],
    ["cut=5, rate=100, fail=1", { status: undefined, faults: { cut: 5, rate: 100 } }],
    ["retry-after=none", { status: undefined, applied: [] }],
    ["retry-after=none, code=503", { status: 503, applied: ["code", "retry-after"] }],
    ["fail=0, delay=5, seed=1", { delayMs: 5, applied: ["delay", "fail", "seed"] }],
  ])("%j", async (text, expected) => expect(await decideFor(text)).toMatchObject(expected));

  test("a delay with a range is random", async () => {
    const decisions = await Promise.all(pages(50).map((page) => decideFor("delay=100-500, seed=2", page)));
    for (const { delayMs, applied } of decisions) {
      expect(delayMs).toSatisfy((ms: number) => ms >= 100 && ms <= 500);
      expect(applied).toEqual(["delay", "seed"]);
    }
    expect(new Set(decisions.map(({ delayMs }) => delayMs)).size).toBeGreaterThan(30);
  });
});

test("a page that is not the target gets no fault, and the response says so", async () => {
  const { options } = readOptions(readPreferHeader("on=3, code=500, delay=5"));
  const random = createRandom(undefined, key(PATH));
  const decision = await decide(options, { random, now: NOW, isTarget: false });
  expect(decision).toEqual({ delayMs: 0, status: undefined, faults: {}, applied: ["on"] });
  expect(listApplied(decision.applied, options)).toBe('on="3"');
});
