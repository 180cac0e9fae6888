import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { vi } from "vitest";
import { uniform } from "../../data/generator.ts";

/** A number from 0 to 1, exclusive. */
export type Random = () => number;

/** The request of which the running code is a part. When it ends, the runtime drops its timers. */
export const currentRequest = new AsyncLocalStorage<{ isOver: boolean }>();

/** What the clock of the running code shows in addition to the true time. */
export const clockSkew = new AsyncLocalStorage<number>();

/** The time without any clockSkew. */
export const getTrueTime = () => clockSkew.run(0, Date.now);

/** Waits until the virtual clock shows this time later. */
export const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.round(milliseconds)));

/** Repeats a simulation with other random numbers. A failure prints the seed with which it can be repeated. */
export async function simulate(runs: number, run: (random: Random) => Promise<void>): Promise<void> {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const property = fc.asyncProperty(fc.noBias(fc.integer({ min: 0 })), async (seed) => {
    let drawn = 0;
    const clock = useVirtualClock();
    await clock.run(run(() => uniform(seed, drawn++))).finally(clock.restore);
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true }).finally(() => vi.restoreAllMocks());
}

/** Lets all promises settle that need no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Replaces the clock and the timers of this process by ones for which time passes only while everything waits. A simulation of hours
 * takes milliseconds, far less than with the fake timers of Vitest.
 */
function useVirtualClock() {
  let now = Date.UTC(2026, 0, 1);
  let lastId = 0;
  const timers = new Map<
    number,
    { at: number; run: () => void; request?: { isOver: boolean } | undefined }
  >();
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now + (clockSkew.getStore() ?? 0));
  vi.stubGlobal("setTimeout", (run: () => void, milliseconds: number) => {
    timers.set(++lastId, { at: now + milliseconds, run, request: currentRequest.getStore() });
    return lastId;
  });
  vi.stubGlobal("clearTimeout", (id: number) => timers.delete(id));
  const takeNext = () => {
    let next = 0;
    let first = Number.POSITIVE_INFINITY;
    for (const [id, { at }] of timers) if (at < first) [next, first] = [id, at];
    const timer = timers.get(next);
    timers.delete(next);
    return timer;
  };
  return {
    /** Lets time pass until some work is done. @throws Error if it waits for a promise that never settles */
    async run<T>(work: Promise<T>): Promise<T> {
      const forever = Promise.withResolvers<never>();
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      await settle();
      for (let timer = takeNext(); timer && !isDone; timer = takeNext()) {
        if (timer.request?.isOver) continue;
        now = timer.at;
        timer.run();
        await settle();
      }
      if (!isDone) forever.reject(new Error("Nothing will ever settle what is waited for."));
      return Promise.race([work, forever.promise]);
    },
    restore(): void {
      vi.unstubAllGlobals();
      spy.mockRestore();
    },
  };
}
