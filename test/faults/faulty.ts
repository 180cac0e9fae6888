import type { Env } from "../../src/env.ts";

/** Runs before a read. It may reject, be slow, or never settle. */
export type Fault = (attempt: number) => Promise<void> | undefined;

/** Real stores that fail on command. The environment belongs to a new instance, which has nothing in memory. */
export interface Faulty {
  env: Env;
  /** Reads since the last `cause`. */
  attempts(): number;
  /** Applies to all reads from now on. The first one is attempt 1. */
  cause(fault: Fault): void;
}

/** The methods of D1 and KV that read. */
const READS = new Set<PropertyKey>(["first", "all", "raw", "run", "get", "getWithMetadata"]);

/** Puts faults in front of the stores of an environment. */
export function openFaulty(env: Env): Faulty {
  let attempts = 0;
  let fault: Fault = () => undefined;
  const read: Read = async (answer) => {
    attempts += 1;
    await fault(attempts);
    return answer();
  };
  return {
    env: { ...env, DB: intercept(env.DB, read), KV: intercept(env.KV, read) },
    attempts: () => attempts,
    cause(next) {
      attempts = 0;
      fault = next;
    },
  };
}

type Read = (answer: () => unknown) => Promise<unknown>;

/** An object whose reads, and those of all objects that its other methods return, go through a function. */
function intercept<T extends object>(target: T, read: Read): T {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const call = (...parameters: unknown[]) => Reflect.apply(member, target, parameters);
      return READS.has(name)
        ? (...parameters: unknown[]) => read(() => call(...parameters))
        : (...parameters: unknown[]) => intercept(call(...parameters), read);
    },
  });
}

/** Fails the first reads, all of them by default. */
export function failing(message: string, times = Number.POSITIVE_INFINITY): Fault {
  return (attempt) => (attempt <= times ? Promise.reject(new Error(message)) : undefined);
}

/** How long a slow store takes. Clients can connect and disconnect meanwhile. */
export const READ_MS = 400;

/** Delays every read. */
export function slow(milliseconds: number): Fault {
  return () => new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Never finishes a read. */
export const hanging: Fault = () => new Promise(() => {});
