import type { D1Database } from "@cloudflare/workers-types";
import type { RecordAppender } from "./appender.ts";
import { d1Store, NEWEST } from "./d1.ts";
import { appendAtOnce } from "./d1-statements.ts";

/** Adds to the collection in a D1 database: a batch is one transaction, and its first statement the switch. */
export function d1Appender(database: D1Database): RecordAppender {
  return {
    loaded: d1Store(database, NEWEST).loaded,
    async append(records, loaded) {
      const statements = appendAtOnce(records, loaded).map((sql) => database.prepare(sql));
      await database.batch(statements).catch((cause) => {
        if (!String(cause).includes("NOT NULL constraint failed: state.count")) throw cause;
        throw new Error("Something else was loaded at the same time.", { cause });
      });
    },
  };
}
