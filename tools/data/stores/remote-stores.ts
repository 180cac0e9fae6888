import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { isTransientD1Error } from "../../../src/store/d1.ts";
import { retry } from "../../../src/store/retry.ts";
import { getTemporaryPath } from "../../paths.ts";
import { runWrangler, runWranglerJson, WranglerError } from "../../wrangler.ts";
import type { StoreChoice, StoreName } from "./configuration.ts";
import { createWritableD1Store, quoteSqlString, readMigrations, type WritableDatabase } from "./d1-writer.ts";
import { createWritableKvStore, DEPLOYED_KV, type WritableNamespace } from "./kv-writer.ts";
import type { OpenedStore } from "./writer.ts";

/** A compromise: wrangler holds several copies of a batch in memory, and takes a second to start. */
const BATCH_BYTES = 20_000_000;

/** Long pauses, because transient errors of the API can last for seconds. */
const LONG_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

/** Opens a deployed store, which wrangler's commands read and write. */
export function openRemoteStore(name: StoreName, choice: StoreChoice): OpenedStore {
  const location = "deployed";
  const remote = createRemote(choice);
  if (name === "kv") {
    const namespace = createRemoteNamespace(remote);
    return { name, location, store: createWritableKvStore(namespace, DEPLOYED_KV) };
  }
  const database = createRemoteDatabase(remote);
  const migrate = async () => {
    const { unapplied } = await readMigrations(database);
    // Wrangler's command needs seconds even if there is nothing to apply.
    if (unapplied.length > 0) await remote.run(["d1", "migrations", "apply", "DB"]);
  };
  return { name, location, store: createWritableD1Store(database), migrate };
}

/** What wrangler prints if Cloudflare's API is busy: the status, or for a response in JSON its code, 7009 for a 504 and 971 for a 429. */
const BUSY = /-> (429|5\d\d) |should wait \d+ second|\[code: (7009|971)\]/;

type Remote = ReturnType<typeof createRemote>;

/** Creates functions that run wrangler commands with the deployed stores of a configuration. Transient errors are retried. */
function createRemote(choice: StoreChoice) {
  let isConnected = false;
  const isTransient = (error: unknown) => {
    if (!(error instanceof WranglerError)) return false;
    // Without a network, the first command fails at once.
    const isLost = isConnected && /fetch failed|ECONNRESET|ETIMEDOUT/.test(error.output);
    return isLost || BUSY.test(error.output) || isTransientD1Error(error.output);
  };
  const repeat = async <T>(run: () => Promise<T>) => {
    const result = await retry(run, isTransient, LONG_PAUSES_MS);
    isConnected = true;
    return result;
  };
  return {
    run: (args: string[]) => repeat(() => runWrangler([...args, "--remote"], choice)),
    runJson: <T>(schema: z.ZodType<T>, args: string[]) =>
      repeat(() => runWranglerJson(schema, [...args, "--remote"], choice)),
  };
}

const SqlValue = z.union([z.string(), z.number(), z.null()]);
const StatementResult = z.object({
  results: z.array(z.record(z.string(), SqlValue)),
  meta: z.object({ changes: z.number() }),
});

function createRemoteDatabase({ run, runJson }: Remote): WritableDatabase {
  const command = ["d1", "execute", "DB", "--yes"];
  const execute = async (sql: string) => {
    const args = [...command, "--json", "--command", sql];
    const [result] = await runJson(z.tuple([StatementResult]), args);
    return result;
  };
  return {
    query: async (sql, parameters) => (await execute(inlineParameters(sql, parameters))).results,
    async write(statements) {
      // Too long for a command line.
      const file = getTemporaryPath("statements.sql");
      await writeFile(file, statements.map((sql) => `${sql};\n`).join(""));
      await run([...command, "--file", file]);
    },
    run: async (sql) => (await execute(sql)).meta.changes,
    batchBytes: BATCH_BYTES,
  };
}

/** Replaces the parameters of a query, which are numbers and ids, because wrangler accepts no parameters. */
function inlineParameters(sql: string, parameters: (string | number)[]): string {
  return sql.replaceAll(/\?(\d+)/g, (_, number) => {
    const value = parameters[Number(number) - 1];
    return typeof value === "string" ? quoteSqlString(value) : String(value);
  });
}

const ValuesByKey = z.record(z.string(), z.string().nullable());
const KeyList = z.array(z.object({ name: z.string() }));

function createRemoteNamespace({ run, runJson }: Remote): WritableNamespace {
  const binding = ["--binding", "KV"];
  /** Returns a bulk command, which reads its keys or pairs from a file. */
  const prepareBulk = async (command: "get" | "put" | "delete", content: unknown[]) => {
    const file = getTemporaryPath(`${command}.json`);
    await writeFile(file, JSON.stringify(content));
    return ["kv", "bulk", command, file, ...binding];
  };
  return {
    // KV returns at most 100 values per call. The commands read no more.
    async get(keys) {
      const args = await prepareBulk("get", keys);
      const found = await runJson(ValuesByKey, args);
      return keys.map((key) => found[key] ?? null);
    },
    async put(pairs) {
      await run(await prepareBulk("put", pairs));
    },
    async delete(keys) {
      await run([...(await prepareBulk("delete", keys)), "--force"]);
    },
    async list(prefix) {
      const listed = await runJson(KeyList, ["kv", "key", "list", "--prefix", prefix, ...binding]);
      return listed.map(({ name }) => name);
    },
    batchBytes: BATCH_BYTES,
  };
}
