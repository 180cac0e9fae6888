import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSharing, HANGS_AFTER_MS, limitTime, retry, SHORT_PAUSES } from "../../src/store/retry.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The times of the attempts of an operation that takes a second and fails so often, and its outcome. */
async function record(failures: number) {
  const begin = Date.now();
  const times: number[] = [];
  const operation = async () => {
    times.push(Date.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (times.length <= failures) throw new Error("busy");
    return "done";
  };
  const outcome = retry(operation, { isTransient: () => true, ...SHORT_PAUSES }).catch(String);
  await vi.advanceTimersByTimeAsync(60_000);
  return { times, outcome: await outcome };
}

test("the pauses double up to a second in all, however long the attempts take", async () => {
  expect(await record(100)).toEqual({ times: [0, 1_040, 2_120, 3_280, 4_600], outcome: "Error: busy" });
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

test("concurrent reads of the same thing are one read, and those that wait do not wait forever", async () => {
  const share = createSharing();
  const read = vi.fn(() => new Promise<number>(() => {}));
  const outlive = vi.fn();
  share("page", read, outlive).catch(() => undefined);
  const follower = share("page", read, outlive).catch(String);
  expect(read).toHaveBeenCalledOnce();
  expect(outlive, "the work may continue after the request").toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
  expect(await follower).toContain("did not respond");
  read.mockResolvedValue(2);
  expect(await share("page", read, outlive), "it is read again").toBe(2);
});
