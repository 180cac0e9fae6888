import type { Env } from "../../src/env.ts";

/** An environment whose stores count their reads and delay them. */
export interface SlowEnv {
  env: Env;
  reads(): number;
}

/** The methods of D1 and KV that read. */
const READS = new Set<PropertyKey>(["all", "first", "get"]);

/** @param delay milliseconds that each read takes longer */
export function createSlowEnv(env: Env, delay: number): SlowEnv {
  let reads = 0;
  const read = async (perform: () => unknown) => {
    reads += 1;
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return perform();
  };
  return { env: { ...env, DB: intercept(env.DB, read), KV: intercept(env.KV, read) }, reads: () => reads };
}

/** Wraps an object: its reads, and those of what its other methods return, go through a function. */
function intercept<T extends object>(target: T, read: (perform: () => unknown) => Promise<unknown>): T {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const call = (parameters: unknown[]) => Reflect.apply(member, target, parameters);
      return READS.has(name)
        ? (...parameters: unknown[]) => read(() => call(parameters))
        : (...parameters: unknown[]) => intercept(call(parameters), read);
    },
  });
}
