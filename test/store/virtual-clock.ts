import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { vi } from "vitest";
import { random } from "../../tools/data/generator.ts";

/** Returns a random number from 0 to 1, exclusive. */
export type Random = () => number;

interface CurrentRequest {
  isOver: boolean;
}

/** The current request. When a request ends, the runtime drops its timers. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();

interface Timer {
  at: number;
  run: () => void;
  request: CurrentRequest | undefined;
}

/** The error of the clock of the running code, in milliseconds. */
export const clockSkew = new AsyncLocalStorage<number>();

/** Returns the time of an accurate clock. */
export const getTrueTime = () => clockSkew.run(0, () => Date.now());

/** Waits on the virtual clock. */
export const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.round(milliseconds)));

/** Repeats a simulation with different random numbers. A failure prints its random seed. */
export async function simulate(runs: number, run: (random: Random) => Promise<void>): Promise<void> {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const property = fc.asyncProperty(fc.noBias(fc.integer({ min: 0 })), async (seed) => {
    let drawn = 0;
    const clock = useVirtualClock();
    await clock.run(run(() => random(seed, drawn++))).finally(clock.restore);
    log.mockClear();
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
}

/** Waits until all promises are settled that need no timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Replaces the clock and the timers of this process. Virtual time passes only while all code waits, so a simulation of hours takes
 * milliseconds. Vitest's fake timers are much slower.
 */
function useVirtualClock() {
  let now = Date.UTC(2026, 0, 1);
  let lastId = 0;
  const timers = new Map<number, Timer>();
  const readClock = () => now + (clockSkew.getStore() ?? 0);
  class VirtualDate extends Date {
    static override now = readClock;
    constructor(value: string | number = readClock()) {
      super(value);
    }
  }
  vi.stubGlobal("Date", VirtualDate);
  vi.stubGlobal("setTimeout", (run: () => void, milliseconds: number) => {
    timers.set(++lastId, { at: now + milliseconds, run, request: currentRequest.getStore() });
    return lastId;
  });
  vi.stubGlobal("clearTimeout", (id: number) => timers.delete(id));
  const removeNext = () => {
    let next: [id: number, timer: Timer] | undefined;
    for (const entry of timers) {
      if (!next || entry[1].at < next[1].at) next = entry;
    }
    if (next) timers.delete(next[0]);
    return next?.[1];
  };
  return {
    /** Lets time pass until the work is done. @throws Error if no timer is left before that */
    async run<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      await settle();
      for (let timer = removeNext(); timer && !isDone; timer = removeNext()) {
        if (timer.request?.isOver) continue;
        now = timer.at;
        timer.run();
        await settle();
      }
      if (!isDone) throw new Error("The simulation waits for a promise that never settles.");
      return work;
    },
    restore: () => vi.unstubAllGlobals(),
  };
}
