import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { openTemporaryFile, PROJECT } from "../../data/stores/wrangler.ts";
import type { Env } from "../../src/env.ts";
import { COLLECTION_PATH, lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { lastBlock } from "../../src/store/block.ts";
import { writeQuery } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { compare, measureCases } from "./cases.ts";
import type { PageRequest } from "./load-generator.ts";
import { startRuntime, startServer } from "./servers.ts";

const program = createProgram("npm run bench --")
  .description("Measures how fast this machine serves pages, compared to the least that a worker can do.")
  .option("--records <n>", "size of the collection", createWholeNumberParser(300), 1_000_000)
  .option("--rounds <n>", "how often each case is measured", createWholeNumberParser(1), 20)
  .option("--milliseconds <n>", "duration of each measurement", createWholeNumberParser(1), 300)
  .option("--json", "print JSON")
  .action(async ({ json, ...options }) => {
    const report = await bench(options);
    if (json) console.log(JSON.stringify(report, null, 2));
    else for (const part of Object.values(report)) console.table(part);
  });

await runProgram(program);
process.exit(); // Servers may be running, which nothing waits for any longer.

type Options = Record<"records" | "rounds" | "milliseconds", number>;

async function bench({ records, rounds, milliseconds }: Options) {
  const [folder, copy] = [openTemporaryFile("stores"), openTemporaryFile("copy")];
  const file = openTemporaryFile("records.csv");
  await runData("generate", "--records", String(records), "--out", file);
  const load = (store: string, to: string) => runData("load", file, "--store", store, "--persist-to", to);
  const loads = await Array.fromAsync(STORE_NAMES, async (store) => ({
    store,
    seconds: await load(store, folder),
  }));
  // Two processes with one database block each other.
  await load("d1", copy);
  const servers: Record<string, string> = {
    wrangler_dev: await startServer("tools/start.ts", "--persist-to", copy, "--inspector-port", "0"),
    package: await startServer("dist/package/cli.js", file),
  };
  const runtime = await startRuntime(folder);
  const env = await runtime.getBindings<Env>("d1");
  await writeFloors(env);
  const findOrigin = async (store: string | null, mode: string) =>
    servers[mode] ?? (await runtime.unsafeGetDirectURL(store ?? "d1", mode)).origin;
  /** Every server must send the page that the package sends, which has the records in memory. */
  const request = async (page: number, origin: string) => {
    const target = `${COLLECTION_PATH}?format=api&page=${page}`;
    const body = await (await fetch(servers.package + target)).text();
    return { url: origin + target, body: body.replaceAll(String(servers.package), origin) };
  };
  // The first 10 pages may come from the state alone, without a block.
  const pages = { first: 11, middle: Math.ceil(lastPage(records) / 2), last: lastPage(records) };
  const walks = await Array.fromAsync(STORE_NAMES, async (store) => {
    const origin = await findOrigin(store, "hot");
    const numbers = Array.from({ length: Math.min(400, pages.last) }, (_, index) => index + 1);
    const requests = await Array.fromAsync(numbers, (page) => request(page, origin));
    const seconds = await time(() => walk(requests));
    return { store, pages: numbers.length, pages_per_second: Math.round(numbers.length / seconds) };
  });
  const figures = await measureCases(rounds, milliseconds, async ({ store, page, mode }) =>
    request(pages[page ?? "first"], await findOrigin(store, mode)),
  );
  const results = await Array.fromAsync(figures, async (one) => {
    const block = one.store === "d1" && one.page && lastBlock(pages[one.page] * PAGE_SIZE);
    const query = block ? await env.DB.prepare(writeQuery(block)).bind(block).all() : null;
    return { ...one, rows_read: query?.meta.rows_read ?? null };
  });
  return { records, results, ratios: compare(results), walks, loads };
}

/** These are the first requests of an instance: nothing is in its memory. */
async function walk(requests: PageRequest[]): Promise<void> {
  for (const { url, body } of requests)
    if ((await (await fetch(url)).text()) !== body) throw new Error(`${url} did not return the page`);
}

/** Writes the row and the key that `store_floor` reads. */
async function writeFloors({ DB, KV }: Env): Promise<void> {
  await DB.prepare("CREATE TABLE floor AS SELECT hex(randomblob(500)) AS text").run();
  await KV.put("floor", "x".repeat(1_000));
}

/** @returns seconds */
function runData(...args: string[]): Promise<number> {
  return time(() => promisify(execFile)("npm", ["run", "data", "--", ...args], { cwd: PROJECT }));
}

/** @returns seconds */
async function time(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return Number(((performance.now() - startedAt) / 1_000).toFixed(3));
}
