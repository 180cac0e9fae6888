import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { unstable_splitSqlQuery } from "wrangler";
import { createLocalD1 } from "../../../data/stores/local-database.ts";
import {
  applyMigrations,
  listMigrations,
  MIGRATIONS,
  splitStatements,
} from "../../../data/stores/migrations.ts";
import { createD1Store } from "../../../src/store/d1.ts";
import { NOTHING_LOADED } from "../../../src/store/store.ts";

test("migrations are split into the statements that wrangler executes", async () => {
  const names = await listMigrations();
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const sql = await readFile(join(MIGRATIONS, name), "utf8");
    // Wrangler drops any text after the last statement. A comment is part of the statement that follows it.
    expect(splitStatements(sql)).toEqual(
      unstable_splitSqlQuery(sql).map((statement) => statement.replace(/;$/, "").trim()),
    );
  }
});

test("a database with the layout before this one becomes empty", async () => {
  const database = new DatabaseSync(":memory:");
  database.exec(`
    CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
    INSERT INTO d1_migrations (name) VALUES ('0003_blocks.sql');
    CREATE TABLE blocks (version INTEGER, first INTEGER, revision TEXT, text TEXT);
    CREATE TABLE state (only INTEGER PRIMARY KEY, version INTEGER, count INTEGER);
    CREATE TABLE statistics (revision TEXT, part INTEGER, text TEXT);
    CREATE VIEW records AS SELECT * FROM blocks;
    INSERT INTO state VALUES (1, 1700000000000, 600);`);
  const binding = createLocalD1(database);
  await applyMigrations(binding);
  expect(await createD1Store(binding).readState()).toEqual(NOTHING_LOADED);
});
