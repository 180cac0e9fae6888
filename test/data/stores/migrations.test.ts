import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_splitSqlQuery } from "wrangler";
import { listMigrations, MIGRATIONS, splitStatements } from "../../../data/stores/migrations.ts";

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
