import { execFile, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { STORE_NAMES } from "../../data/writer/configuration.ts";
import { getTemporaryPath, PROJECT, runWrangler } from "../../data/writer/wrangler.ts";
import type { Env } from "../../src/bindings.ts";
import { COLLECTION_PATH, getLastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { getBlockNumber } from "../../src/store/block.ts";
import { buildStateQuery } from "../../src/store/d1.ts";
import { createProgram, createWholeNumberParser, runProgram } from "../command-line/program.ts";
import { type BenchOptions, compareResults, measureCases, type PageRequest } from "./cases.ts";

const program = createProgram("npm run bench --")
  .description("Measures how fast this machine serves pages, compared to the least that a worker can do.")
  .option("--records <n>", "size of the collection, 300 or more", createWholeNumberParser(300), 1_000_000)
  .option("--rounds <n>", "how often each case is measured", createWholeNumberParser(1), 20)
  .option("--milliseconds <n>", "duration of each measurement", createWholeNumberParser(1), 300)
  .option("--json", "print JSON")
  .action(async ({ json, ...options }) => {
    const report = await bench(options);
    if (json) console.log(JSON.stringify(report, null, 2));
    else for (const part of Object.values(report)) console.table(part);
  });

async function bench({ records, ...options }: { records: number } & BenchOptions) {
  const file = getTemporaryPath("records.csv");
  const folder = getTemporaryPath("stores");
  await runData("generate", "--records", String(records), "--out", file);
  const loads = await Array.fromAsync(STORE_NAMES, async (store) => {
    let megabytes = 0;
    const seconds = await measureSeconds(async () => {
      megabytes = await runData("load", file, "--store", store, "--persist-to", folder);
    });
    return { store, seconds, megabytes };
  });
  const { request, env } = await startServers(file, folder);
  const walks = await Array.fromAsync(STORE_NAMES, async (store) => {
    const pages = Math.min(400, getLastPage(records));
    const numbers = Array.from({ length: pages }, (_, index) => index + 1);
    const requests = await Array.fromAsync(numbers, (page) => request(page, store, "hot"));
    const seconds = await measureSeconds(() => fetchPages(requests));
    return { store, pages, pages_per_second: Math.round(pages / seconds) };
  });
  // Page 11 has both links, as the middle one has.
  const pages = { first: 11, middle: Math.ceil(getLastPage(records) / 2), last: getLastPage(records) };
  const figures = await measureCases(options, ({ store, page, mode }) =>
    request(pages[page ?? "first"], store, mode),
  );
  const results = await Array.fromAsync(figures, async (one) => {
    const block = one.store === "d1" && one.page && getBlockNumber(pages[one.page] * PAGE_SIZE);
    const query = block ? await env.DB.prepare(buildStateQuery(block)).bind(block).all() : null;
    return { ...one, rows_read: query?.meta.rows_read ?? null };
  });
  return { records, results, ratios: compareResults(results), walks, loads };
}

/** These are the first requests of an instance: nothing is in its memory. */
async function fetchPages(requests: PageRequest[]): Promise<void> {
  for (const { url, body } of requests)
    if ((await (await fetch(url)).text()) !== body) throw new Error(`${url} did not return the page`);
}

/** Prints the peak of the resident memory of a process when it exits, in KiB, in a line of its own. */
const PRINT_PEAK = "data:text/javascript,process.on('exit',()=>console.log(process.resourceUsage().maxRSS))";

/** Runs a command of `npm run data`. Returns the megabytes of memory that its process needed at most. */
async function runData(...args: string[]): Promise<number> {
  const command = [`--import=${PRINT_PEAK}`, "tools/data/data-command.ts", ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: PROJECT });
  return Math.round((Number(stdout.trim().split("\n").at(-1)) * 1024) / 1e6);
}

/** @returns seconds */
async function measureSeconds(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return Number(((performance.now() - startedAt) / 1_000).toFixed(3));
}

/** Starts all servers: the package with a file, and the others with a folder, as in `wrangler dev --persist-to`. */
async function startServers(file: string, folder: string) {
  // Two processes with one database block each other.
  const copy = getTemporaryPath("copy");
  cpSync(folder, copy, { recursive: true });
  const memory = await startServer("dist/package/cli.js", file);
  const wrangler = await startServer("tools/start.ts", "--persist-to", copy, "--inspector-port", "0");
  const origins: Record<string, string> = { package: memory, wrangler_dev: wrangler };
  const runtime = await startRuntime(folder);
  const env = await runtime.getBindings<Required<Env>>("d1");
  // What `store_baseline` reads.
  await env.DB.prepare("CREATE TABLE baseline AS SELECT hex(randomblob(500)) AS text").run();
  await env.KV.put("baseline", "x".repeat(1_000));
  /** Every server must send the page that the package sends, which has the records in memory. */
  const request = async (page: number, store: string | null, mode: string): Promise<PageRequest> => {
    const origin = origins[mode] ?? (await runtime.unsafeGetDirectURL(store ?? "d1", mode)).origin;
    const target = `${COLLECTION_PATH}?format=api&page=${page}`;
    const body = await (await fetch(memory + target)).text();
    return { url: origin + target, body: body.replaceAll(memory, origin) };
  };
  return { request, env };
}

/**
 * Starts workerd with a worker for each store, which has the store's name, and a socket for each export of bench-worker.ts: the
 * proxy in front of `wrangler dev` takes longer than the worker.
 */
async function startRuntime(folder: string): Promise<Miniflare> {
  const bundle = getTemporaryPath("bundle");
  const worker = join(PROJECT, "tools/bench/bench-worker.ts");
  await runWrangler(["deploy", worker, "--dry-run", "--outdir", bundle]);
  const path = join(bundle, "bench-worker.js");
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(PROJECT, "wrangler.toml"));
  const workers = STORE_NAMES.map((name) => ({
    ...workerOptions,
    name,
    modules: [{ type: "ESModule" as const, path }],
    modulesRoot: dirname(path),
    bindings: { ...Object(workerOptions.bindings), STORE: name, RATE_LIMIT: "off" },
    // wrangler.toml binds only the database.
    kvNamespaces: ["KV"],
    unsafeDirectSockets: ["hot", "cold", "baseline", "store_baseline"].map((entrypoint) => ({
      host: "127.0.0.1",
      port: 0,
      entrypoint,
    })),
  }));
  const options = convertV4MiniflareOptions({ workers, cf: false });
  return new Miniflare({ ...options, resourcePersistencePath: join(folder, "v3") });
}

/** Runs a script of this project that serves, until this process ends. Returns the origin that it prints. */
async function startServer(...args: string[]): Promise<string> {
  const server = spawn(process.execPath, [...args, "--port", "0"], { cwd: PROJECT });
  server.stderr.pipe(process.stderr);
  process.once("exit", () => server.kill());
  for await (const line of createInterface(server.stdout)) {
    const [origin] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (!origin) continue;
    // Later lines must not fill the pipe.
    server.stdout.resume();
    return origin;
  }
  throw new Error(`${args[0]} ended before it served.`);
}

await runProgram(program);
process.exit(); // Ends the servers, too.
