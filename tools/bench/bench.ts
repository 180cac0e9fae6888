import { execFile, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import type { Env } from "../../src/bindings.ts";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { getLastPage } from "../../src/records/page.ts";
import { print } from "../command-line/print.ts";
import { createProgram, createWholeNumberParser, runProgram } from "../command-line/program.ts";
import { STORE_NAMES } from "../data/stores/configuration.ts";
import { getTemporaryPath, PROJECT } from "../paths.ts";
import { runWrangler } from "../wrangler.ts";
import { type BenchOptions, measureCases, type PageRequest } from "./cases.ts";

const program = createProgram("npm run bench --")
  .description("Measure the speed of pages, of a minimal worker and of loads on this machine.")
  .option("--records <n>", "size of the collection, 300 or more", createWholeNumberParser(300), 1_000_000)
  .option("--rounds <n>", "number of measurements of each case", createWholeNumberParser(1), 20)
  .option("--milliseconds <n>", "duration of each measurement", createWholeNumberParser(1), 300)
  .option("--json", "print JSON")
  .action(async ({ json, ...options }) => {
    const report = await bench(options);
    if (json) return print(JSON.stringify(report, null, 2));
    for (const [title, table] of Object.entries(report)) {
      print(title);
      console.table(table);
    }
  });

async function bench({ records, ...options }: { records: number } & BenchOptions) {
  const file = getTemporaryPath("records.csv");
  const folder = getTemporaryPath("stores");
  await runData("generate", "--records", String(records), "--out", file);
  const loads = await Array.fromAsync(STORE_NAMES, async (store) => {
    const startedAt = performance.now();
    const peak_memory_mb = await runData("load", file, "--store", store, "--persist-to", folder);
    const seconds = Number(((performance.now() - startedAt) / 1_000).toFixed(3));
    return { store, records, seconds, peak_memory_mb };
  });
  // Page 11 stands for the first pages, because it has both links, like the middle page.
  const pages = { first: 11, middle: Math.ceil(getLastPage(records) / 2), last: getLastPage(records) };
  const request = await startServers(file, folder, getTarget(pages.middle));
  const requests = await measureCases(options, ({ store, page, mode }) =>
    request(pages[page ?? "first"], store, mode),
  );
  return { requests, loads };
}

/** A module that prints the peak of the resident memory, in KiB and on a separate line, when the process exits. */
const PRINT_PEAK = "data:text/javascript,process.on('exit',()=>console.log(process.resourceUsage().maxRSS))";

/** Runs a command of `npm run data`. Returns the peak of its memory in megabytes. */
async function runData(...args: string[]): Promise<number> {
  const command = [`--import=${PRINT_PEAK}`, "tools/data/data-command.ts", ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: PROJECT });
  const [peak] = /^\d+$/m.exec(stdout) ?? [];
  if (peak === undefined) throw new Error("The command did not print the peak of its memory");
  return Math.round((Number(peak) * 1024) / 1e6);
}

const getTarget = (page: number) => `${COLLECTION_PATH}?format=api&page=${page}`;

/**
 * Starts the package with a file of records, workerd with the folder of the stores, and a server that sends the constant response of the
 * package to a request.
 */
async function startServers(file: string, folder: string, constant: string) {
  const memory = await startServer("dist/package/cli.js", "--port", "0", file);
  const node = await startServer("tools/bench/constant-server.ts", memory + constant);
  const origins: Record<string, string> = { package: memory, node };
  const runtime = await startRuntime(folder);
  const env = await runtime.getBindings<Required<Env>>("d1");
  // Writes the row and the key that `store_baseline` reads.
  await env.DB.prepare("CREATE TABLE baseline AS SELECT hex(randomblob(500)) AS text").run();
  await env.KV.put("baseline", "x".repeat(1_000));
  /** Creates a request. From every server, the only correct response is the page that the package sends. */
  return async (page: number, store: string | null, mode: string): Promise<PageRequest> => {
    const origin = origins[mode] ?? (await runtime.unsafeGetDirectURL(store ?? "d1", mode)).origin;
    const target = getTarget(page);
    const body = await (await fetch(memory + target)).text();
    // The constant has the links of the package.
    return { url: origin + target, body: origin === node ? body : body.replaceAll(memory, origin) };
  };
}

/**
 * Starts workerd with a worker for each store, named after the store, and a socket for each export of bench-worker.ts. Does not
 * use `wrangler dev`, because the proxy of `wrangler dev` would take longer than the worker.
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
    // Binds KV here, because wrangler.toml binds only the database.
    kvNamespaces: ["KV"],
    unsafeDirectSockets: ["hot", "cold", "baseline", "store_baseline"].map((entrypoint) => ({ entrypoint })),
  }));
  const options = convertV4MiniflareOptions({ workers, cf: false });
  return new Miniflare({ ...options, resourcePersistencePath: join(folder, "v3") });
}

/** Starts a server of this project, which ends with this process. Returns the origin that the server prints. */
async function startServer(...args: string[]): Promise<string> {
  const server = spawn(process.execPath, args, { cwd: PROJECT });
  server.stderr.pipe(process.stderr);
  process.once("exit", () => server.kill());
  for await (const line of createInterface(server.stdout)) {
    const [origin] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (!origin) continue;
    server.stdout.resume(); // A full pipe would block the server.
    return origin;
  }
  throw new Error(`${args[0]} ended before it printed its URL.`);
}

await runProgram(program);
process.exit(); // Ends the servers, too.
