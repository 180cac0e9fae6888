import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HANGS_AFTER_MS, limitTime, RETRY_WITHIN_MS, retry } from "../../src/store/retry.ts";

beforeEach(() => {
  vi.useFakeTimers();
  // Each pause has its maximum length.
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Retries an operation that fails this number of times. Returns the times of the attempts in milliseconds. */
async function record(failures: number, isTransient = () => true) {
  const begun = Date.now();
  const times: number[] = [];
  const outcome = retry(async () => {
    times.push(Math.round(Date.now() - begun));
    if (times.length <= failures) throw new Error("busy");
    return "done";
  }, isTransient).catch(String);
  await vi.advanceTimersByTimeAsync(10 * RETRY_WITHIN_MS);
  return { times, outcome: await outcome };
}

test("the pauses double, and the last attempt starts within the time limit", async () => {
  expect(await record(100)).toEqual({ times: [0, 40, 120, 280, 600], outcome: "Error: busy" });
});

test("the first attempt that succeeds ends the retries", async () => {
  expect(await record(2)).toEqual({ times: [0, 40, 120], outcome: "done" });
});

test("an error that is not transient ends the retries at once", async () => {
  expect(await record(1, () => false)).toEqual({ times: [0], outcome: "Error: busy" });
});

test("work that hangs is given up after three seconds", async () => {
  const onLate = vi.fn();
  const outcome = limitTime(new Promise(() => {}), onLate).catch(String);
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS - 1);
  expect(onLate).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onLate).toHaveBeenCalledOnce();
  expect(await outcome).toBe(`Error: The store did not respond within ${HANGS_AFTER_MS} ms`);
});

test("work that ends in time leaves no timer behind", async () => {
  expect(await limitTime(Promise.resolve(1))).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});
