import type { StoreName } from "../../data/stores/configuration.ts";
import { createWritableD1, type WritableDatabase } from "../../data/stores/d1-writer.ts";
import { createWritableKv, type WritableNamespace } from "../../data/stores/kv-writer.ts";
import type { WritableStore } from "../../data/stores/writer.ts";
import type { Env } from "../../src/env.ts";
import { bindDatabase } from "../../src/store/d1.ts";
import { bindNamespace } from "../../src/store/kv.ts";

/** The binding of a worker as a database that tests write to. */
export function openDatabase(database: Env["DB"]): WritableDatabase {
  return {
    ...bindDatabase(database),
    async write(statements) {
      const results = await database.batch(statements.map((sql) => database.prepare(sql)));
      return results.at(-1)?.meta.changes ?? 0;
    },
    batchBytes: 250_000,
  };
}

/** The binding of a worker as a namespace that tests write to. */
export function openNamespace(namespace: Env["KV"]): WritableNamespace {
  const each = async <T>(items: T[], act: (item: T) => Promise<void>) =>
    void (await Promise.all(items.map(act)));
  return {
    ...bindNamespace(namespace),
    put: (pairs) => each(pairs, ({ key, value }) => namespace.put(key, value)),
    delete: (keys) => each(keys, (key) => namespace.delete(key)),
    async list() {
      const keys: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Awaited<ReturnType<typeof namespace.list>> = await namespace.list({ cursor });
        keys.push(...page.keys.map(({ name }) => name));
        if (page.list_complete) return keys;
        cursor = page.cursor;
      }
    },
    batchBytes: 250_000,
  };
}

/** The store of a worker, which nothing else writes to. */
export function openWritableStore({ DB, KV }: Env, store: StoreName): WritableStore {
  return store === "d1" ? createWritableD1(openDatabase(DB)) : createWritableKv(openNamespace(KV), true);
}
