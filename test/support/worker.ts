import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";
import type { Env } from "../../src/bindings.ts";
import { Page, type TrafficRecord } from "../../src/records/schema.ts";
import type { MaybeSnapshot } from "../../src/store/snapshot.ts";
import type { StoreName } from "../../tools/data/stores/configuration.ts";
import { MIGRATIONS_FOLDER } from "../../tools/data/stores/d1-writer.ts";
import { replaceCollection } from "../../tools/data/stores/writer.ts";
import { getBundleFolder } from "./bundled-worker.ts";
import { PATH } from "./exchange.ts";
import { requireDocumented } from "./openapi-check.ts";
import { toContent } from "./sample-records.ts";
import { openWorkerStore } from "./stores.ts";

export type RunningWorker = Awaited<ReturnType<typeof startWorker>>;

interface WorkerOptions {
  /** Replace the variables of wrangler.toml. By default there is no rate limit. */
  vars?: Record<string, string>;
  /** The folder of the stores, as in `npm start -- --persist-to`. By default, the stores are new and empty. */
  folder?: string;
  /** Whether to create the tables of the database. By default, if the database is new. */
  migrate?: boolean;
  /** The script of a bundled worker. By default, the worker of the service. */
  script?: string;
}

/** Starts a worker for the tests of a file or of a group, and closes it after them. */
export function useWorker(options?: WorkerOptions): RunningWorker {
  const worker = {} as RunningWorker;
  beforeAll(async () => void Object.assign(worker, await startWorker(options)));
  afterAll(() => worker.close?.());
  return worker;
}

/**
 * Starts a worker in workerd, with the settings of wrangler.toml. There is no proxy as in `wrangler dev`, because it would be slow and
 * would hide that a client disconnects.
 */
export async function startWorker(options: WorkerOptions = {}) {
  const { folder, migrate = folder === undefined } = options;
  const logs: string[] = [];
  const runtime = startRuntime(options, (message) => logs.push(message));
  const { origin } = await runtime.unsafeGetDirectURL();
  const env = await runtime.getBindings<Required<Env>>();
  if (migrate) await createTables(env);
  return {
    /** Such as `http://127.0.0.1:41234`. */
    origin,
    env,
    fetch: (path: string, init?: RequestInit) => fetchDocumented(new URL(path, origin), init),
    logs: () => [...logs],
    close: () => runtime.dispose(),
  };
}

function startRuntime(
  { vars, folder, script = join(getBundleFolder(), "index.js") }: WorkerOptions,
  log: (message: string) => void,
): Miniflare {
  const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml");
  const options = convertV4MiniflareOptions({
    ...workerOptions,
    modules: [{ type: "ESModule", path: script }],
    modulesRoot: dirname(script),
    bindings: { ...Object(workerOptions.bindings), RATE_LIMIT: "off", ...vars },
    // wrangler.toml binds only the database.
    kvNamespaces: ["KV"],
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    cf: false,
  });
  return new Miniflare({
    ...options,
    ...(folder !== undefined && { resourcePersistencePath: join(folder, "v3") }),
    handleStructuredLogs: ({ message }) => log(message),
  });
}

/** Creates the tables of an empty database. */
async function createTables({ DB }: RunningWorker["env"]): Promise<void> {
  const migrations = readdirSync(MIGRATIONS_FOLDER)
    .sort()
    .map((name) => readFileSync(join(MIGRATIONS_FOLDER, name), "utf8"));
  await DB.batch(migrations.flatMap(unstable_splitSqlQuery).map((sql) => DB.prepare(sql)));
}

/** Sends a request to a server, follows no redirect, and throws if the response contradicts the OpenAPI document. */
export async function fetchDocumented(url: string | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(url, { redirect: "manual", ...init });
  const response = await fetch(request);
  await requireDocumented(request, response);
  return response;
}

/**
 * Loads records through the bindings of a worker.
 * @param records Oldest first
 * @returns The new snapshot
 */
export async function loadInto(
  env: RunningWorker["env"],
  store: StoreName,
  records: TrafficRecord[],
  sources?: string[],
): Promise<MaybeSnapshot> {
  const writable = openWorkerStore(env, store);
  await replaceCollection(writable, toContent(records.toReversed(), sources));
  return (await writable.readCurrent()).snapshot;
}

/** Follows `next` from the first page to the last. */
export async function readAllRecords(origin: string): Promise<TrafficRecord[]> {
  const records: TrafficRecord[] = [];
  for (let url: string | null = origin + PATH; url !== null; ) {
    const page: Page = Page.parse(await (await fetch(url)).json());
    records.push(...page.results);
    url = page.next;
  }
  return records;
}
