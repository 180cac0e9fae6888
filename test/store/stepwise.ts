import { createD1Store } from "../../src/store/d1.ts";
import { createKvStore } from "../../src/store/kv.ts";
import type { Store } from "../../src/store/store.ts";
import type { AnyStore, Stores } from "./stores.ts";

/** Called before each operation of a store on its database or namespace. */
export type BeforeStep = () => Promise<void>;

/**
 * A real store in which another writer can act before each step, or the step can fail. Blocks are written one by one, so that
 * there are many steps.
 */
export function createStepwiseStore(stores: Stores, name: AnyStore, beforeStep: BeforeStep): Store {
  if (name === "memory") return stepThrough(stores.memory, beforeStep);
  if (name === "d1") return createD1Store(stepThrough(stores.database, beforeStep));
  const { namespace } = stores;
  return createKvStore({
    ...stepThrough(namespace, beforeStep),
    // KV writes and removes each key by itself.
    async put(pairs) {
      for (const pair of pairs) {
        await beforeStep();
        await namespace.put([pair]);
      }
    },
    async delete(keys) {
      for (const key of keys) {
        await beforeStep();
        await namespace.delete([key]);
      }
    },
  });
}

function stepThrough<T extends object>(target: T, beforeStep: BeforeStep): T {
  const call = async (method: (...parameters: unknown[]) => unknown, parameters: unknown[]) => {
    await beforeStep();
    return method(...parameters);
  };
  const entries = Object.entries(target).map(([name, member]) => [
    name,
    typeof member === "function" ? (...parameters: unknown[]) => call(member, parameters) : member,
  ]);
  return { ...Object.fromEntries(entries), batchBytes: 1 };
}
