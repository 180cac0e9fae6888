import { writeFile } from "node:fs/promises";
import { isTransient, type Row, type SqlDatabase } from "../../src/store/d1.ts";
import { retry } from "../../src/store/retry.ts";
import type { StoreName } from "./configuration.ts";
import { createWritableD1, type WritableDatabase } from "./d1-writer.ts";
import { createWritableKv, type WritableNamespace } from "./kv-writer.ts";
import { listMissing } from "./migrations.ts";
import type { OpenStore } from "./store-choice.ts";
import { openTemporaryFile } from "./temporary-files.ts";
import { type Deployment, deploymentOptions, runWrangler, WranglerError } from "./wrangler.ts";

/** Wrangler holds what it sends in memory, several times over, and takes seconds to start. */
const BATCH_BYTES = 20_000_000;

/** Wrangler takes seconds for a command, and what it reports may last for seconds too. */
const RETRY_POLICY = { isTransient: isTransientFailure, firstPauseMs: 2_000, pausesMs: 15_000 };

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
  if (name === "kv") {
    const store = createWritableKv(remoteNamespace(deployment), false, deployment.settleMs);
    return { name, store, size: async () => undefined, close };
  }
  const database = remoteDatabase(deployment);
  await migrate(database, deployment);
  return {
    name,
    store: createWritableD1(database),
    size: async () => (await database.execute("SELECT 1")).meta.size_after,
    close,
  };
}

/** Wrangler's command for migrations is slow, so it runs only if one is missing. */
async function migrate(database: SqlDatabase, deployment: Deployment): Promise<void> {
  if ((await listMissing(database)).length === 0) return;
  await runWrangler(["d1", "migrations", "apply", "DB", ...deploymentOptions(deployment)], deployment);
}

/** Whether wrangler printed that a request did not reach Cloudflare's API, or that it should be sent again. */
function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof WranglerError)) return false;
  const { printed } = error;
  return (
    isTransient(printed) ||
    /fetch failed|ECONNRESET|ETIMEDOUT|-> (429|5\d\d) |should wait \d+ second/.test(printed)
  );
}

interface Result {
  results: Row[];
  meta: { changes?: number; size_after?: number };
}

interface RemoteDatabase extends WritableDatabase {
  execute(sql: string): Promise<Result>;
}

function remoteDatabase(deployment: Deployment): RemoteDatabase {
  const run = (args: string[]) =>
    retry(
      () =>
        runWrangler(["d1", "execute", "DB", "--yes", ...args, ...deploymentOptions(deployment)], deployment),
      RETRY_POLICY,
    );
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

/** Wrangler's command line takes no parameters; those of the store's queries are numbers and names. */
function inline(sql: string, parameters: (string | number)[]): string {
  return sql.replaceAll(/\?(\d+)/g, (_, number) => {
    const value = parameters[Number(number) - 1];
    return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
  });
}

function remoteNamespace(deployment: Deployment): WritableNamespace {
  const options = ["--binding", "KV", ...deploymentOptions(deployment)];
  const run = (args: string[]) =>
    retry(() => runWrangler(["kv", ...args, ...options], deployment), RETRY_POLICY);
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
    replace: async (pair) => void (await runBulk("put", [pair])),
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
