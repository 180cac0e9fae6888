import { createWritableD1 } from "../../data/stores/d1-writer.ts";
import { createWritableKv } from "../../data/stores/kv-writer.ts";
import type { WritableStore } from "../../data/stores/writer.ts";
import type { Stores } from "./stores.ts";

/**
 * Called in place of each operation of a store on its database or namespace. It can run the operation, let another writer act
 * before, or fail before or after.
 */
export type OnStep = (operate: () => Promise<unknown>) => Promise<unknown>;

/** A real store whose operations a test controls. Blocks are written and removed one by one, so that there are many steps. */
export function createStepwiseStore(stores: Stores, name: "d1" | "kv", onStep: OnStep): WritableStore {
  if (name === "d1") return createWritableD1(stepThrough(stores.database, onStep));
  const { namespace } = stores;
  const each = async <T>(items: T[], act: (item: T) => Promise<void>) => {
    for (const item of items) await onStep(() => act(item));
  };
  const stepwise = {
    ...stepThrough(namespace, onStep),
    // KV writes and removes each key by itself.
    put: (pairs: Parameters<typeof namespace.put>[0]) => each(pairs, (pair) => namespace.put([pair])),
    delete: (keys: string[]) => each(keys, (key) => namespace.delete([key])),
  };
  return createWritableKv(stepwise, false, 0);
}

function stepThrough<T extends object>(target: T, onStep: OnStep): T {
  const entries = Object.entries(target).map(([name, member]) => [
    name,
    typeof member === "function" ? (...parameters: unknown[]) => onStep(() => member(...parameters)) : member,
  ]);
  return { ...Object.fromEntries(entries), batchBytes: 1 };
}
