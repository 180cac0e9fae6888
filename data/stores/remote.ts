import { writeFile } from "node:fs/promises";
import { createD1Store, type SqlDatabase } from "../../src/store/d1.ts";
import { createKvStore } from "../../src/store/kv.ts";
import type { KeyValueStore } from "../../src/store/namespace.ts";
import type { StoreName } from "./configuration.ts";
import { listMigrations } from "./migrations.ts";
import type { OpenStore } from "./store-choice.ts";
import { openTemporaryFile } from "./temporary-files.ts";
import { type Deployment, deploymentOptions, runWrangler } from "./wrangler.ts";

/** Wrangler holds what it sends in memory, several times over, and takes seconds to start. */
const BATCH_BYTES = 20_000_000;

/** Keys that KV reads at once. */
const BULK_KEYS = 100;

/** A longer command line may not be accepted; longer statements go through a file. */
const COMMAND_CHARACTERS = 50_000;

/**
 * Opens a deployed store: the statements and keys of a local one, sent by wrangler's commands. Migrations are applied if
 * the database does not have them all.
 */
export async function openRemoteStore(name: StoreName, deployment: Deployment): Promise<OpenStore> {
  const close = async () => {};
  if (name === "kv")
    return { name, store: createKvStore(remoteNamespace(deployment)), size: async () => undefined, close };
  const database = remoteDatabase(deployment);
  await migrate(database, deployment);
  return {
    name,
    store: createD1Store(database),
    size: async () => (await database.execute("SELECT 1")).meta.size_after,
    close,
  };
}

/** Wrangler's command for migrations is slow, so it runs only if one is missing. */
async function migrate(database: RemoteDatabase, deployment: Deployment): Promise<void> {
  const applied = await database.execute("SELECT name FROM d1_migrations").then(
    ({ results }) => new Set(results.map((row) => row.name)),
    (error) => {
      // Any other error does not say that the database is empty, and must not lead to a load over what is there.
      if (String(error).includes("no such table")) return new Set();
      throw error;
    },
  );
  if ((await listMigrations()).every((name) => applied.has(name))) return;
  await runWrangler(["d1", "migrations", "apply", "DB", ...deploymentOptions(deployment)], deployment);
}

interface Result {
  results: Record<string, string | number | null>[];
  meta: { changes?: number; size_after?: number };
}

interface RemoteDatabase extends SqlDatabase {
  execute(sql: string): Promise<Result>;
}

function remoteDatabase(deployment: Deployment): RemoteDatabase {
  const run = (args: string[]) =>
    runWrangler(["d1", "execute", "DB", "--yes", ...args, ...deploymentOptions(deployment)], deployment);
  const execute = async (sql: string): Promise<Result> => {
    const results: Result[] = JSON.parse(await run(["--json", "--command", sql]));
    return results.at(-1) ?? { results: [], meta: {} };
  };
  return {
    execute,
    query: async (sql, parameters) => (await execute(inline(sql, parameters))).results,
    async write(statements) {
      const [first = "", ...rest] = statements;
      if (rest.length === 0 && first.length < COMMAND_CHARACTERS)
        return (await execute(first)).meta.changes ?? 0;
      const file = openTemporaryFile("statements.sql");
      await writeFile(file, statements.map((sql) => `${sql};\n`).join(""));
      await run(["--file", file]);
      return 0;
    },
    batchBytes: BATCH_BYTES,
  };
}

/** Wrangler's command line takes no parameters; those of the store's queries are numbers. */
function inline(sql: string, parameters: (number | null)[]): string {
  return sql.replaceAll(/\?(\d+)/g, (_, number) => String(parameters[Number(number) - 1] ?? null));
}

function remoteNamespace(deployment: Deployment): KeyValueStore {
  const run = (args: string[]) =>
    runWrangler(["kv", ...args, "--binding", "KV", ...deploymentOptions(deployment)], deployment);
  /** Wrangler's bulk commands take their keys or pairs from a file. */
  const runBulk = async (command: "get" | "put" | "delete", content: unknown[]) => {
    const file = openTemporaryFile(`${command}.json`);
    await writeFile(file, JSON.stringify(content));
    return run(["bulk", command, file, ...(command === "delete" ? ["--force"] : [])]);
  };
  return {
    async get(keys) {
      const values: (string | null)[] = [];
      for (let start = 0; start < keys.length; start += BULK_KEYS) {
        const some = keys.slice(start, start + BULK_KEYS);
        const found: Record<string, Value> = JSON.parse(await runBulk("get", some));
        values.push(...some.map((key) => unwrap(found[key])));
      }
      return values;
    },
    put: async (pairs) => void (await runBulk("put", pairs)),
    delete: async (keys) => void (await runBulk("delete", keys)),
    async list() {
      const listed: { name: string }[] = JSON.parse(await run(["key", "list"]));
      return listed.map(({ name }) => name);
    },
    batchBytes: BATCH_BYTES,
  };
}

/** Wrangler prints what the namespace responds as it is; some of its versions wrap each value. */
type Value = { value: string | null } | string | null | undefined;

function unwrap(value: Value): string | null {
  return (typeof value === "object" ? value?.value : value) ?? null;
}
