import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { stringify } from "smol-toml";
import { beforeEach, vi } from "vitest";
import { formatCsv, makeRecords } from "../../support/sample-records.ts";
import { createFolder } from "../../support/temporary-folder.ts";

const database = { binding: "DB", database_name: "records", database_id: "id-of-records" };
const configuration = {
  name: "traffic-count-records",
  compatibility_date: "2026-11-01",
  vars: { STORE: "d1" },
  d1_databases: [{ ...database, migrations_dir: resolve("data/migrations") }],
  kv_namespaces: [{ binding: "KV", id: "0123456789abcdef0123456789abcdef" }],
};

/** Creates a configuration with deployed stores, and files to load. The output of commands is captured. */
export function useRemoteConfiguration() {
  beforeEach(() => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  const folder = createFolder();
  // Error messages contain this name, and it must not cause another attempt.
  const config = join(folder, "fetch failed.toml");
  writeFileSync(config, stringify(configuration));
  const file = join(folder, "all.csv");
  return {
    folder,
    config,
    /** Writes a number of records to a file, and returns the files to load. */
    writeRecords(count: number): string[] {
      writeFileSync(file, formatCsv(makeRecords(count)));
      return [file];
    },
  };
}

/** Executes a statement as D1 does, and returns a result as D1 does. */
export function executeStatement(sqlite: DatabaseSync, sql: string, parameters: string[] = []) {
  const countChanges = () => Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);
  const before = countChanges();
  const results = sqlite.prepare(sql).all(...parameters);
  return { results, success: true, meta: { duration: 1, changes: countChanges() - before } };
}
