import { vi } from "vitest";
import type { Env } from "../../src/env.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { Store } from "../../src/store/state.ts";
import { createInstance, createMemoryService } from "../memory-service.ts";
import { interceptCalls } from "../store/stores.ts";

/** Creates a service whose store fails or hangs on command. */
export async function createFailingService(records: TrafficRecord[], settings: Partial<Env> = {}) {
  const { store } = await createMemoryService(records);
  const control = {
    fails: false,
    hangs: false,
    /** Reads so far. */
    reads: 0,
    message: "the store is broken",
  };
  const failing = interceptCalls<Store>(store, async (operate) => {
    control.reads += 1;
    if (control.hangs) return new Promise(() => {});
    if (control.fails) throw new Error(control.message);
    return operate();
  });
  return {
    service: createInstance(failing, { settings }),
    /** An instance of the same store that has nothing in memory. */
    open: () => createInstance(failing, { settings }),
    control,
  };
}

/** The lines in the log that a spy of `console.error` received. */
export function readLog() {
  return vi.mocked(console.error).mock.calls.map(([line]) => JSON.parse(line));
}
