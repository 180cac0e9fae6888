import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { WRITERS } from "../../data/formats/formats.ts";
import { writeOutput } from "../../data/formats/output-file.ts";
import { generateRecords, SEED } from "../../data/generator/records.ts";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { openTemporaryFile } from "../../data/stores/temporary-files.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import type { Env } from "../../src/env.ts";
import { COLLECTION_PATH, lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { lastBlock } from "../../src/store/block.ts";
import { BLOCK_QUERY } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { compare, measureCases } from "./cases.ts";
import type { PageRequest } from "./load-generator.ts";
import { startRuntime, startServers } from "./servers.ts";

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

async function bench({
  records,
  rounds,
  milliseconds,
}: {
  records: number;
  rounds: number;
  milliseconds: number;
}) {
  const [folder, file] = [openTemporaryFile("stores"), openTemporaryFile("records.csv")];
  // The first 10 pages may come from the state alone, without a block.
  const pages = { first: 11, middle: Math.ceil(lastPage(records) / 2), last: lastPage(records) };
  const walked = Array.from({ length: Math.min(400, pages.last) }, (_, index) => index + 1);
  const request = await writeCollection(file, records, [...walked, ...Object.values(pages)]);
  const loads = await Array.fromAsync(STORE_NAMES, async (store) => {
    const args = ["run", "data", "--", "load", file, "--store", store, "--persist-to", folder];
    return { store, seconds: await time(() => promisify(execFile)("npm", args, { cwd: PROJECT })) };
  });
  const servers = await startServers(file, folder);
  const runtime = await startRuntime(folder);
  const { DB, KV } = await runtime.getBindings<Env>("d1");
  // What `store_floor` reads.
  const text = "x".repeat(1_000);
  await DB.batch([
    DB.prepare("CREATE TABLE floor (text TEXT)"),
    DB.prepare(`INSERT INTO floor VALUES ('${text}')`),
  ]);
  await KV.put("floor", text);
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
    const block = one.store === "d1" && one.page && lastBlock(pages[one.page] * PAGE_SIZE);
    const query = block ? await DB.prepare(BLOCK_QUERY).bind(block).all() : null;
    return { ...one, rows_read: query?.meta.rows_read ?? null };
  });
  return { records, results, ratios: compare(results), walks, loads };
}

/**
 * Writes generated records into a file.
 * @param pages the numbers of the pages that can be requested
 * @returns a function that makes requests for them, with the responses that follow from the records
 */
async function writeCollection(file: string, count: number, pages: number[]) {
  const results = new Map<number, string[]>(pages.map((page) => [page, []]));
  function* generate() {
    let newer = count;
    for (const record of generateRecords({
      from: new Date("2019-01-01"),
      to: new Date("9999-12-31"),
      seed: SEED,
    })) {
      results.get(1 + Math.floor(--newer / PAGE_SIZE))?.unshift(JSON.stringify(record));
      yield record;
      if (newer === 0) return;
    }
  }
  await writeOutput(file, WRITERS.csv(generate()));
  return (page: number, origin: string): PageRequest => {
    const url = (number: number) => `${origin}${COLLECTION_PATH}?format=api&page=${number}`;
    const link = (number: number) => (number < 1 || number > lastPage(count) ? null : `"${url(number)}"`);
    const links = `"next":${link(page + 1)},"previous":${link(page - 1)}`;
    return { url: url(page), body: `{"count":${count},${links},"results":[${results.get(page)}]}` };
  };
}

/** @returns seconds */
async function time(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return Number(((performance.now() - startedAt) / 1_000).toFixed(3));
}
