import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isTransientD1Error, type SqlRow } from "../../src/store/d1.ts";
import { retry } from "../../src/store/retry.ts";
import type { StoreChoice, StoreName } from "./configuration.ts";
import { createWritableD1, listMissing, quoteText, type WritableDatabase } from "./d1-writer.ts";
import { createWritableKv, type WritableNamespace } from "./kv-writer.ts";
import { openTemporaryFile, runWrangler, WranglerError } from "./wrangler.ts";
import type { OpenStore } from "./writer.ts";

/** Wrangler holds what it sends in memory, several times over, and takes seconds to start. */
const BATCH_BYTES = 20_000_000;

/** Wrangler takes seconds for a command, and what it reports may last for seconds too. */
const RETRY_POLICY = { isTransient: isTransientFailure, firstPauseMs: 2_000, totalPauseMs: 15_000 };

/** A longer command line may not be accepted; longer statements go through a file. */
const COMMAND_CHARACTERS = 50_000;

/** Opens a deployed store: the statements and keys of a local one, sent by wrangler's commands. */
export function openRemoteStore(name: StoreName, choice: StoreChoice): OpenStore {
  const location = "deployed";
  if (name === "kv")
    return { name, location, store: createWritableKv(remoteNamespace(choice), false, choice.settleMs) };
  const database = remoteDatabase(choice);
  const migrate = async () => {
    // The command is slow, so it runs only if a migration is missing.
    if ((await listMissing(database)).length > 0) await run(choice, ["d1", "migrations", "apply", "DB"]);
  };
  return { name, location, store: createWritableD1(database), migrate };
}

/** Runs a command of wrangler with the deployed stores of a configuration. It is repeated if it fails for a moment. */
function run({ config, program, notify }: StoreChoice, args: string[]): Promise<string> {
  const configuration = config === undefined ? [] : ["--config", resolve(config)];
  return retry(
    () => runWrangler([...args, "--remote", ...configuration], { run: program, notify }),
    RETRY_POLICY,
  );
}

/** Whether wrangler printed that a request did not reach Cloudflare's API, or that it should be sent again. */
function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof WranglerError)) return false;
  const { printed } = error;
  return (
    isTransientD1Error(printed) ||
    /fetch failed|ECONNRESET|ETIMEDOUT|-> (429|5\d\d) |should wait \d+ second/.test(printed)
  );
}

/** What wrangler prints of a statement. */
interface Result {
  results: SqlRow[];
  meta: { changes: number };
}

function remoteDatabase(choice: StoreChoice): WritableDatabase {
  const runExecute = (...args: string[]) => run(choice, ["d1", "execute", "DB", "--yes", ...args]);
  const execute = async (sql: string): Promise<Result> => {
    const [result]: [Result] = JSON.parse(await runExecute("--json", "--command", sql));
    return result;
  };
  return {
    query: async (sql, parameters) => (await execute(inline(sql, parameters))).results,
    async write(statements) {
      const [first = "", ...rest] = statements;
      if (rest.length === 0 && first.length < COMMAND_CHARACTERS) return void (await execute(first));
      const file = openTemporaryFile("statements.sql");
      await writeFile(file, statements.map((sql) => `${sql};\n`).join(""));
      await runExecute("--file", file);
    },
    change: async (sql) => (await execute(sql)).meta.changes,
    batchBytes: BATCH_BYTES,
  };
}

/** Wrangler's command line takes no parameters; those of the store's queries are numbers and names. */
function inline(sql: string, parameters: (string | number)[]): string {
  return sql.replaceAll(/\?(\d+)/g, (_, number) => {
    const value = parameters[Number(number) - 1];
    return typeof value === "string" ? quoteText(value) : String(value);
  });
}

function remoteNamespace(choice: StoreChoice): WritableNamespace {
  const runKv = (...args: string[]) => run(choice, ["kv", ...args, "--binding", "KV"]);
  /** Wrangler's bulk commands take their keys or pairs from a file. */
  const runBulk = async (command: "get" | "put" | "delete", content: unknown[]) => {
    const file = openTemporaryFile(`${command}.json`);
    await writeFile(file, JSON.stringify(content));
    return runKv("bulk", command, file, ...(command === "delete" ? ["--force"] : []));
  };
  return {
    // KV returns at most 100 values at once; commands ask for fewer.
    async get(keys) {
      const found: Record<string, string | null> = JSON.parse(await runBulk("get", keys));
      return keys.map((key) => found[key] ?? null);
    },
    put: async (pairs) => void (await runBulk("put", pairs)),
    delete: async (keys) => void (await runBulk("delete", keys)),
    async list(prefix) {
      const options = prefix === undefined ? [] : ["--prefix", prefix];
      const listed: { name: string }[] = JSON.parse(await runKv("key", "list", ...options));
      return listed.map(({ name }) => name);
    },
    batchBytes: BATCH_BYTES,
  };
}
