import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { isTransientD1Error } from "../../../src/store/d1.ts";
import { retry } from "../../../src/store/retry.ts";
import { getTemporaryPath } from "../../temporary-path.ts";
import { runWrangler, runWranglerJson, WranglerError } from "../../wrangler.ts";
import type { StoreChoice, StoreName } from "./configuration.ts";
import {
  createWritableD1Store,
  listUnappliedMigrations,
  quoteSqlString,
  type WritableDatabase,
} from "./d1-writer.ts";
import { createDeployedKvStore, type WritableNamespace } from "./kv-writer.ts";
import type { OpenedStore } from "./writer.ts";

/** A compromise: wrangler holds several copies of a batch in memory, and takes a second to start. */
const BATCH_BYTES = 20_000_000;

/** Long pauses, because transient errors of the API can last for seconds. */
const LONG_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

/** The maximum length of a statement on the command line. Longer statements are passed in a file, because systems limit the length. */
const MAX_COMMAND_LENGTH = 50_000;

export function openRemoteStore(name: StoreName, choice: StoreChoice): OpenedStore {
  const location = "deployed";
  if (name === "kv")
    return {
      name,
      location,
      store: createDeployedKvStore(createRemoteNamespace(choice), choice.propagationMs),
    };
  const database = createRemoteDatabase(choice);
  const migrate = async () => {
    // Wrangler's command needs seconds even if there is nothing to apply.
    if ((await listUnappliedMigrations(database)).length > 0)
      await runRemoteCommand(runWrangler, choice, ["d1", "migrations", "apply", "DB"]);
  };
  return { name, location, store: createWritableD1Store(database), migrate };
}

/** Runs a wrangler command with the deployed stores of a configuration. Transient errors are retried. */
function runRemoteCommand<T>(
  run: (args: string[], choice: StoreChoice) => Promise<T>,
  choice: StoreChoice,
  args: string[],
): Promise<T> {
  const runOnce = () => run([...args, "--remote"], choice);
  return retry(runOnce, isTransientWranglerError, LONG_PAUSES_MS);
}

function runRemoteJsonCommand<T>(schema: z.ZodType<T>, choice: StoreChoice, args: string[]): Promise<T> {
  return runRemoteCommand((args, choice) => runWranglerJson(schema, args, choice), choice, args);
}

/** Whether wrangler reports that a request did not reach Cloudflare's API, or that it should be sent again. */
function isTransientWranglerError(error: unknown): boolean {
  if (!(error instanceof WranglerError)) return false;
  const { output } = error;
  return (
    isTransientD1Error(output) ||
    /fetch failed|ECONNRESET|ETIMEDOUT|-> (429|5\d\d) |should wait \d+ second/.test(output)
  );
}

const SqlValue = z.union([z.string(), z.number(), z.null()]);
const StatementResult = z.object({
  results: z.array(z.record(z.string(), SqlValue)),
  meta: z.object({ changes: z.number() }),
});

function createRemoteDatabase(choice: StoreChoice): WritableDatabase {
  const command = ["d1", "execute", "DB", "--yes"];
  const execute = async (sql: string) => {
    const args = [...command, "--json", "--command", sql];
    const [result] = await runRemoteJsonCommand(z.tuple([StatementResult]), choice, args);
    return result;
  };
  return {
    query: async (sql, parameters) => (await execute(inlineParameters(sql, parameters))).results,
    async write(statements) {
      const [first, ...others] = statements;
      const isShort = first !== undefined && others.length === 0 && first.length < MAX_COMMAND_LENGTH;
      if (isShort) {
        await execute(first);
        return;
      }
      const file = getTemporaryPath("statements.sql");
      await writeFile(file, statements.map((sql) => `${sql};\n`).join(""));
      await runRemoteCommand(runWrangler, choice, [...command, "--file", file]);
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

function createRemoteNamespace(choice: StoreChoice): WritableNamespace {
  const binding = ["--binding", "KV"];
  /** Returns a bulk command, which reads its keys or pairs from a file. */
  const prepareBulk = async (command: "get" | "put" | "delete", content: unknown[]) => {
    const file = getTemporaryPath(`${command}.json`);
    await writeFile(file, JSON.stringify(content));
    return ["kv", "bulk", command, file, ...binding];
  };
  return {
    // KV returns at most 100 values per call. The commands read fewer.
    async get(keys) {
      const args = await prepareBulk("get", keys);
      const found = await runRemoteJsonCommand(ValuesByKey, choice, args);
      return keys.map((key) => found[key] ?? null);
    },
    async put(pairs) {
      await runRemoteCommand(runWrangler, choice, await prepareBulk("put", pairs));
    },
    async delete(keys) {
      await runRemoteCommand(runWrangler, choice, [...(await prepareBulk("delete", keys)), "--force"]);
    },
    async list(prefix) {
      const options = prefix === undefined ? [] : ["--prefix", prefix];
      const args = ["kv", "key", "list", ...options, ...binding];
      const listed = await runRemoteJsonCommand(KeyList, choice, args);
      return listed.map(({ name }) => name);
    },
    batchBytes: BATCH_BYTES,
  };
}
