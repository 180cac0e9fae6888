import { createHash, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { unstable_splitSqlQuery } from "wrangler";

/** The D1 databases of the stub API: SQLite databases in memory. */
export interface Databases {
  list(): { uuid: string; name: string }[];
  create(name: string): { uuid: string; name: string };
  remove(uuid: string): void;
  query(
    uuid: string,
    query: { sql: string; params?: string[] },
  ): { results: unknown[]; success: true; meta: object }[];
  /** Stores an uploaded file until it is imported. */
  upload(text: string): void;
  /** Executes the uploaded file with this MD5 hash in one transaction. */
  importFile(uuid: string, etag: string): void;
}

export function createDatabases(): Databases {
  const databases = new Map<string, { name: string; sqlite: DatabaseSync }>();
  const files = new Map<string, string>();
  const find = (uuid: string) => {
    const found = databases.get(uuid);
    if (!found) throw new Error(`no database ${uuid}`);
    return found.sqlite;
  };
  return {
    list: () => [...databases].map(([uuid, { name }]) => ({ uuid, name })),
    create(name) {
      const uuid = randomUUID();
      databases.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
      return { uuid, name };
    },
    remove: (uuid) => void databases.delete(uuid),
    query(uuid, { sql, params = [] }) {
      return unstable_splitSqlQuery(sql).map((statement) => {
        const sqlite = find(uuid);
        const before = countChanges(sqlite);
        const results = sqlite.prepare(statement).all(...params);
        const meta = { duration: 1, changes: countChanges(sqlite) - before };
        return { results, success: true, meta };
      });
    },
    upload: (text) => void files.set(createHash("md5").update(text, "latin1").digest("hex"), text),
    importFile(uuid, etag) {
      find(uuid).exec(`BEGIN; ${files.get(etag)}; COMMIT`);
    },
  };
}

function countChanges(sqlite: DatabaseSync): number {
  return Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);
}
