import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { openTemporaryFile } from "../../data/stores/temporary-files.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import type { Env } from "../../src/env.ts";
import { PAGE_QUERY } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { compare, measureCases } from "./cases.ts";
import { namePages, type PageRequest, writeCollection } from "./pages.ts";
import { startRuntime, startServers } from "./servers.ts";

interface Options {
  records: number;
  rounds: number;
  milliseconds: number;
  json?: true;
}

const program = createProgram("npm run bench --")
  .description("Measures how fast this machine serves pages, compared to the least that a worker can do.")
  .option("--records <n>", "size of the collection", createWholeNumberParser(300), 1_000_000)
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
  const pages = namePages(records);
  const walked = Array.from({ length: Math.min(400, pages.last) }, (_, index) => index + 1);
  const request = await writeCollection(file, records, [...walked, ...Object.values(pages)]);
  const loads = await Array.fromAsync(STORE_NAMES, (store) => measureLoad(store, file, folder));
  const servers = await startServers(file, folder);
  const runtime = await startRuntime(folder);
  const { DB, KV } = await runtime.getBindings<Env>("d1");
  await writeFloors(DB, KV);
  const findOrigin = async (store: string | null, mode: string) =>
    servers.get(mode) ?? (await runtime.unsafeGetDirectURL(store ?? "d1", mode)).origin;
  const walks = await Array.fromAsync(STORE_NAMES, async (store) => {
    // These are the first requests of the instance: nothing is in its memory.
    const origin = await findOrigin(store, "hot");
    return { store, ...(await walk(walked.map((page) => request(page, origin)))) };
  });
  const figures = await measureCases(rounds, milliseconds, async ({ store, page, mode }) =>
    request(pages[page ?? "first"], await findOrigin(store, mode)),
  );
  const results = await Array.fromAsync(figures, async (one) => ({
    ...one,
    rows_read: one.store === "d1" && one.page ? await countRows(DB, pages[one.page]) : null,
  }));
  return { records, results, ratios: compare(results), walks, loads };
}

async function measureLoad(store: StoreName, file: string, folder: string) {
  const args = ["run", "data", "--", "load", file, "--store", store, "--persist-to", folder];
  const startedAt = performance.now();
  await promisify(execFile)("npm", args, { cwd: PROJECT });
  return { store, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)) };
}

/** Writes the row and the key that `store_floor` reads. */
async function writeFloors(DB: D1Database, KV: KVNamespace): Promise<void> {
  const text = "x".repeat(1_000);
  await DB.prepare("CREATE TABLE floor (id INTEGER PRIMARY KEY, text TEXT)").run();
  await DB.prepare("INSERT INTO floor VALUES (1, ?)").bind(text).run();
  await KV.put("floor", text);
}

/**
 * Requests pages one after the other.
 * @throws Error if a response is not the page
 */
async function walk(requests: PageRequest[]) {
  const startedAt = performance.now();
  for (const { url, body } of requests)
    if ((await (await fetch(url)).text()) !== body) throw new Error(`${url} did not return the page`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { pages: requests.length, pages_per_second: Math.round(requests.length / seconds) };
}

async function countRows(DB: D1Database, page: number): Promise<number> {
  return (await DB.prepare(PAGE_QUERY).bind(null, page, null).all()).meta.rows_read;
}
