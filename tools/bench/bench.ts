import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { openTemporaryFile } from "../../data/stores/temporary-files.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import type { Env } from "../../src/env.ts";
import { COLLECTION_PATH } from "../../src/records/page.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { PAGE_QUERY } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { type Case, compare, measureCases, median, summarise } from "./cases.ts";
import { createRequests, namePages, type PageRequest, walkedPages } from "./pages.ts";
import { bundleWorker, startRuntime, startServer } from "./runtime.ts";

interface Options {
  records: number;
  rounds: number;
  milliseconds: number;
  json?: true;
}

/** What first-call.ts measures, and how often. */
const FIRST_CALLS = ["/", COLLECTION_PATH, "growth"];
const FIRST_CALL_ROUNDS = 5;

const run = promisify(execFile);

const program = createProgram("npm run bench --")
  .description("Measures how fast this machine serves pages, compared to the least that a worker can do.")
  .option("--records <n>", "size of the collection", createWholeNumberParser(BLOCK_SIZE), 1_000_000)
  .option("--rounds <n>", "how often each case is measured", createWholeNumberParser(1), 20)
  .option("--milliseconds <n>", "duration of each measurement", createWholeNumberParser(1), 300)
  .option("--json", "print JSON")
  .action(async (options: Options) => {
    const report = await bench(options);
    if (options.json) console.log(JSON.stringify(report, null, 2));
    else for (const part of Object.values(report)) console.table(part);
  });

await runProgram(program);
process.exit(); // Servers may be running, which nothing waits for any longer.

async function bench({ records, rounds, milliseconds }: Options) {
  const [folder, file] = [openTemporaryFile("stores"), openTemporaryFile("records.csv")];
  await runData("generate", "--records", String(records), "--out", file);
  const loads = await Array.fromAsync(STORE_NAMES, (store) => measureLoad(store, file, folder));
  const servers = await startServers(folder);
  const bundle = await bundleWorker(openTemporaryFile("bundle"));
  const runtime = await startRuntime(bundle, folder);
  const origin = async (store: StoreName, mode: string) =>
    (await runtime.unsafeGetDirectURL(store, mode)).origin;
  const { DB, KV } = await runtime.getBindings<Env>("d1");
  await writeFloors(DB, KV);
  const pages = namePages(records);
  const request = await createRequests(file, [...walkedPages(records), ...Object.values(pages)]);
  const walks = await Array.fromAsync(STORE_NAMES, async (store) => {
    const place = await origin(store, "walked");
    return { store, ...(await walk(walkedPages(records).map((page) => request(page, place)))) };
  });
  const place = (store: Case["store"], mode: Case["mode"]) =>
    servers.get(mode) ?? origin(store === "kv" ? "kv" : "d1", mode);
  const measured = await measureCases(rounds, milliseconds, async ({ store, page, mode }) =>
    request(pages[page ?? "first"], await place(store, mode)),
  );
  const results = await Array.fromAsync(measured, async (one) => {
    const rows_read = one.store === "d1" && one.page ? await readRows(DB, pages[one.page]) : null;
    return { ...summarise(one), rows_read };
  });
  const first_calls = await Array.fromAsync(FIRST_CALLS, (call) => measureFirstCall(bundle, call, rounds));
  return { records, results, ratios: compare(measured), walks, loads, first_calls };
}

function runData(...args: string[]) {
  return run("npm", ["run", "--silent", "data", "--", ...args], { cwd: PROJECT });
}

async function measureLoad(store: StoreName, file: string, folder: string) {
  const startedAt = performance.now();
  await runData("load", file, "--store", store, "--persist-to", folder);
  return { store, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)) };
}

/** Writes the row and the key that `store_floor` reads. */
async function writeFloors(DB: D1Database, KV: KVNamespace): Promise<void> {
  const text = "x".repeat(1_000);
  await DB.prepare("CREATE TABLE floor (id INTEGER PRIMARY KEY, text TEXT)").run();
  await DB.prepare("INSERT INTO floor VALUES (1, ?)").bind(text).run();
  await KV.put("floor", text);
}

/** Starts the service as people run it on their machines, and returns the origin of each mode. */
async function startServers(folder: string): Promise<Map<string, string>> {
  // Two processes with one database block each other.
  const copy = openTemporaryFile("copy");
  await cp(folder, copy, { recursive: true });
  const options = ["--persist-to", copy, "--port", "0", "--inspector-port", "0"];
  return new Map([["wrangler_dev", await startServer("tools/start.ts", options)]]);
}

/**
 * Requests pages one after the other from the entrypoint `walked`.
 * @throws Error if a response is not the page
 */
async function walk(requests: PageRequest[]) {
  const startedAt = performance.now();
  let reads = "";
  for (const { url, body } of requests) {
    const response = await fetch(url);
    if ((await response.text()) !== body) throw new Error(`${url} did not return the page`);
    reads = response.headers.get("Store-Reads") ?? "";
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    pages: requests.length,
    store_reads: Number(reads),
    pages_per_second: Math.round(requests.length / seconds),
  };
}

async function readRows(DB: D1Database, page: number): Promise<number> {
  return (await DB.prepare(PAGE_QUERY).bind(null, page, null).all()).meta.rows_read;
}

async function measureFirstCall(bundle: string, call: string, rounds: number) {
  const args = [join(PROJECT, "tools/bench/first-call.ts"), bundle, call];
  const times = Array.from({ length: Math.min(rounds, FIRST_CALL_ROUNDS) });
  const printed = await Array.fromAsync(times, () => run(process.execPath, args));
  return { call, cpu_ms: median(printed.map(({ stdout }) => Number(stdout))) };
}
