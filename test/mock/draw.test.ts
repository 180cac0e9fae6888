import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawFor, identify, pickFrom } from "../../src/mock/draw.ts";
import { decideOutcome } from "../../src/mock/outcome.ts";
import { parsePrefer } from "../../src/mock/prefer.ts";
import { readPlan } from "../../src/mock/preferences.ts";

const ORIGIN = "http://localhost";
const PATH = "/api/tf1/records/";
const key = (target: string, method = "GET") =>
  identify(method, new URL(target.startsWith("/") ? ORIGIN + target : target));
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => key(`${PATH}?page=${index + 1}`));
const decide = (text: string, request = key(PATH)) => {
  const plan = readPlan(parsePrefer(text));
  return decideOutcome(plan, drawFor(plan.seed, request));
};

const seed = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const request = fc.tuple(fc.constantFrom("GET", "POST"), fc.webPath(), fc.webQueryParameters());

describe("requests are told apart by method, path and query", () => {
  test.each([
    [`${PATH}?page=2`, `${PATH}?page=3`],
    [PATH, "/"],
    [`${PATH}?a=1`, `${PATH}?a=2`],
  ])("%s is not %s", (one, other) => expect(key(one)).not.toBe(key(other)));

  test("GET is not POST", () => expect(key(PATH)).not.toBe(key(PATH, "POST")));
  test("HEAD is GET", () => expect(key(PATH, "HEAD")).toBe(key(PATH)));

  test.each([
    [`${PATH}?page=2&format=api`, `${PATH}?format=api&page=2`],
    [`${PATH}?page=2&prefer=fail=0.1,seed=4`, `${PATH}?page=2`],
    [`http://127.0.0.1:9000${PATH}`, PATH],
  ])("%s is %s", (one, other) => expect(key(one)).toBe(key(other)));
});

describe("with a seed", () => {
  test("the same request gets the same, from 0 up to 1", async () => {
    await fc.assert(
      fc.asyncProperty(seed, request, async (seed, [method, path, query]) => {
        const request = key(`/${path}?${query}`, method);
        const drawn = await drawFor(seed, request)("fail");
        expect(await drawFor(seed, request)("fail")).toBe(drawn);
        expect(drawn).toSatisfy((number: number) => number >= 0 && number < 1);
      }),
    );
  });

  test("it is the same for ever: tests that were written replay", async () => {
    expect(await drawFor(4, key(`${PATH}?page=2`))("fail")).toBe(0.48626759205944836);
    expect(await drawFor(4, key(`${PATH}?page=2`))("delay")).toBe(0.10870773461647332);
  });

  test("other seeds, pages and purposes draw other numbers", async () => {
    const draws = await Promise.all(
      pages(100).flatMap((page) =>
        [1, 2, 3].flatMap((seed) => [drawFor(seed, page)("fail"), drawFor(seed, page)("delay")]),
      ),
    );
    expect(new Set(draws).size).toBe(600);
  });

  test.each([1, 2, 3])("pages fail as often as fail says, seed %i", async (seed) => {
    const outcomes = await Promise.all(pages(2_000).map((page) => decide(`fail=0.1, seed=${seed}`, page)));
    const failed = outcomes.filter(({ status }) => status === 503).length;
    // Five standard deviations, of 13 each.
    expect(failed).toSatisfy((number: number) => Math.abs(number - 200) < 67);
  });

  test("what fails at a rate fails at every higher one", async () => {
    for (const page of pages(50)) {
      const failed: boolean[] = [];
      for (const rate of [0, 0.2, 0.5, 0.8, 1])
        failed.push((await decide(`fail=${rate}, seed=9`, page)).status === 503);
      expect(failed).toEqual(failed.toSorted());
      expect([failed.at(0), failed.at(-1)]).toEqual([false, true]);
    }
  });
});

test("without a seed the same request gets another number each time", async () => {
  const draw = drawFor(undefined, key(PATH));
  const draws = await Promise.all(Array.from({ length: 100 }, () => draw("fail")));
  expect(new Set(draws).size).toBe(100);
});

test("a delay is drawn from all of its span, both ends included", () => {
  fc.assert(
    fc.property(
      fc.nat(10_000),
      fc.nat(10_000),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (one, other, drawn) => {
        const span = { min: Math.min(one, other), max: Math.max(one, other) };
        expect(pickFrom(span, drawn)).toSatisfy(
          (picked: number) => Number.isInteger(picked) && picked >= span.min && picked <= span.max,
        );
        expect(pickFrom(span, 0)).toBe(span.min);
        expect(pickFrom(span, 1 - 2 ** -32)).toBe(span.max);
      },
    ),
  );
});

describe("what becomes of a request", () => {
  test.each<[string, object]>([
    ["", { delayMs: 0, status: undefined, body: undefined, applied: [] }],
    ["seed=4", { delayMs: 0, status: undefined, body: undefined, applied: [] }],
    ["code=404", { status: 404, body: undefined, applied: ["code=404"] }],
    ["code=404, seed=4", { status: 404, applied: ["code=404"] }],
    ["delay=7", { delayMs: 7, status: undefined, applied: ["delay=7"] }],
    ["delay=7-7, seed=4", { delayMs: 7, applied: ["delay=7"] }],
    ["body=slow", { status: undefined, body: "slow", applied: ["body=slow"] }],
    ["code=500, body=cut", { status: 500, body: "cut", applied: ["code=500", "body=cut"] }],
    ["fail=1", { status: 503, body: undefined, applied: ["fail=1"] }],
    ["fail=1.0, code=429", { status: 429, applied: ["code=429", "fail=1"] }],
    ["fail=1, body=cut", { status: undefined, body: "cut", applied: ["fail=1", "body=cut"] }],
    ["fail=0", { status: undefined, body: undefined, applied: ["fail=0"] }],
    ["fail=0, code=429, body=cut", { status: undefined, body: undefined, applied: ["fail=0"] }],
    ["fail=0, delay=5, seed=1", { delayMs: 5, applied: ["delay=5", "fail=0", "seed=1"] }],
  ])("%j", async (text, outcome) => expect(await decide(text)).toMatchObject(outcome));

  test("a delay between two is drawn", async () => {
    const outcomes = await Promise.all(pages(50).map((page) => decide("delay=100-500, seed=2", page)));
    for (const { delayMs, applied } of outcomes) {
      expect(delayMs).toSatisfy((ms: number) => ms >= 100 && ms <= 500);
      expect(applied).toEqual(["delay=100-500", "seed=2"]);
    }
    expect(new Set(outcomes.map(({ delayMs }) => delayMs)).size).toBeGreaterThan(30);
  });
});
