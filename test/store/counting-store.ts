import type { Env } from "../../src/env.ts";
import { createD1Store, type SqlDatabase } from "../../src/store/d1.ts";

/** A store in a database, with the statements that ran and the rows that D1 would bill for. */
export function createCountingStore(database: Env["DB"]) {
  const counted = { queries: 0, statements: 0, read: 0, written: 0, removed: [] as number[] };
  const store = createD1Store({
    async query(sql, parameters) {
      const { results, meta } = await database
        .prepare(sql)
        .bind(...parameters)
        .all();
      counted.queries += 1;
      counted.statements += 1;
      counted.read += meta.rows_read;
      return results as Awaited<ReturnType<SqlDatabase["query"]>>;
    },
    async write(statements) {
      const results = await database.batch(statements.map((sql) => database.prepare(sql)));
      counted.statements += statements.length;
      for (const { meta } of results) {
        counted.read += meta.rows_read;
        counted.written += meta.rows_written;
      }
      const changes = results.at(-1)?.meta.changes ?? 0;
      if (statements[0]?.startsWith("DELETE")) counted.removed.push(changes);
      return changes;
    },
    batchBytes: 250_000,
  });
  return { store, counted };
}
