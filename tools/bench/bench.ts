import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { STORE_NAMES } from "../../data/writer/configuration.ts";
import { openTemporaryFile, PROJECT } from "../../data/writer/wrangler.ts";
import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { lastBlock } from "../../src/store/block.ts";
import { writeQuery } from "../../src/store/d1.ts";
import { createProgram, createWholeNumberParser, runProgram } from "../command-line/program.ts";
import { compare, type Effort, measureCases, type PageRequest } from "./cases.ts";
import { startServers } from "./servers.ts";

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

async function bench({ records, ...effort }: { records: number } & Effort) {
  const [file, folder] = [openTemporaryFile("records.csv"), openTemporaryFile("stores")];
  await runData("generate", "--records", String(records), "--out", file);
  const loads = await Array.fromAsync(STORE_NAMES, async (store) => ({
    store,
    seconds: await time(() => runData("load", file, "--store", store, "--persist-to", folder)),
  }));
  const { request, env } = await startServers(file, folder);
  const walks = await Array.fromAsync(STORE_NAMES, async (store) => {
    const pages = Math.min(400, lastPage(records));
    const numbers = Array.from({ length: pages }, (_, index) => index + 1);
    const requests = await Array.fromAsync(numbers, (page) => request(page, store, "hot"));
    const seconds = await time(() => walk(requests));
    return { store, pages, pages_per_second: Math.round(pages / seconds) };
  });
  // Page 11 has both links, as the middle one has.
  const pages = { first: 11, middle: Math.ceil(lastPage(records) / 2), last: lastPage(records) };
  const figures = await measureCases(effort, ({ store, page, mode }) =>
    request(pages[page ?? "first"], store, mode),
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

function runData(...args: string[]) {
  return promisify(execFile)("npm", ["run", "data", "--", ...args], { cwd: PROJECT });
}

/** @returns seconds */
async function time(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return Number(((performance.now() - startedAt) / 1_000).toFixed(3));
}
