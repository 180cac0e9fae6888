import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../../data/stores/migrations.ts";
import type { StandIn } from "../../../data/stores/wrangler.ts";

/** Creates a stand-in for wrangler that knows the commands for one deployed database, which is an SQLite database in memory. */
export function createWrangler(): StandIn {
  const sqlite = new DatabaseSync(":memory:");
  const run = (args: string[]): string => {
    const option = (name: string) => String(args[args.indexOf(name) + 1]);
    if (args[1] === "migrations") return migrate(sqlite);
    if (args.includes("--command")) return query(sqlite, option("--command"));
    sqlite.exec(`BEGIN; ${readFileSync(option("--file"), "utf8")}; COMMIT`);
    return "";
  };
  return async (args) => {
    try {
      return { status: 0, output: run(args), errors: "" };
    } catch (error) {
      return { status: 1, output: "", errors: Object(error).message };
    }
  };
}

function migrate(sqlite: DatabaseSync): string {
  sqlite.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
  const note = sqlite.prepare("INSERT OR IGNORE INTO d1_migrations (name) VALUES (?)");
  for (const name of readdirSync(MIGRATIONS).sort())
    if (note.run(name).changes > 0) sqlite.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  return "";
}

function query(sqlite: DatabaseSync, sql: string): string {
  const changes = () => Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);
  const before = changes();
  const results = sqlite.prepare(sql).all();
  return JSON.stringify([{ results, success: true, meta: { changes: changes() - before } }]);
}
