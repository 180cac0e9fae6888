import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { openTemporaryFile } from "../../data/stores/temporary-files.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import type { Env } from "../../src/env.ts";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { lastBlock } from "../../src/store/block.ts";
import { BLOCK_QUERY } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { compare, measureCases } from "./cases.ts";
import { namePages, writeCollection } from "./pages.ts";
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
  const loads = await Array.fromAsync(STORE_NAMES, async (store) => {
    const args = ["run", "data", "--", "load", file, "--store", store, "--persist-to", folder];
    return { store, seconds: await time(() => promisify(execFile)("npm", args, { cwd: PROJECT })) };
  });
  const servers = await startServers(file, folder);
  const runtime = await startRuntime(folder);
  const { DB, KV } = await runtime.getBindings<Env>("d1");
  await writeFloors(DB, KV);
  const findOrigin = async (store: string | null, mode: string) =>
    servers.get(mode) ?? (await runtime.unsafeGetDirectURL(store ?? "d1", mode)).origin;
  const walks = await Array.fromAsync(STORE_NAMES, async (store) => {
    // These are the first requests of the instance: nothing is in its memory.
    const origin = await findOrigin(store, "hot");
    const seconds = await time(async () => {
      for (const { url, body } of walked.map((page) => request(page, origin)))
        if ((await (await fetch(url)).text()) !== body) throw new Error(`${url} did not return the page`);
    });
    return { store, pages: walked.length, pages_per_second: Math.round(walked.length / seconds) };
  });
  const figures = await measureCases(rounds, milliseconds, async ({ store, page, mode }) =>
    request(pages[page ?? "first"], await findOrigin(store, mode)),
  );
  const results = await Array.fromAsync(figures, async (one) => {
    const page = one.store === "d1" && one.page && pages[one.page];
    const block = page && lastBlock(page * PAGE_SIZE);
    const query = block ? await DB.prepare(BLOCK_QUERY).bind(block).all() : null;
    return { ...one, rows_read: query?.meta.rows_read ?? null };
  });
  return { records, results, ratios: compare(results), walks, loads };
}

/** Writes the row and the key that `store_floor` reads. */
async function writeFloors(DB: D1Database, KV: KVNamespace): Promise<void> {
  const text = "x".repeat(1_000);
  await DB.prepare("CREATE TABLE floor (id INTEGER PRIMARY KEY, text TEXT)").run();
  await DB.prepare("INSERT INTO floor VALUES (1, ?)").bind(text).run();
  await KV.put("floor", text);
}

/** @returns seconds */
async function time(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return Number(((performance.now() - startedAt) / 1_000).toFixed(3));
}
