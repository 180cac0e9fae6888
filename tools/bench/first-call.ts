import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { generateRecords, SEED } from "../../src/generator/records.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { load } from "../../src/store/writer.ts";

// Prints the CPU time of the first call of a new instance, in milliseconds. The arguments are the bundled worker and the path of a
// web page, or `growth` for a run of the cron trigger. The instance is this process. Its store is in memory, so the time of a
// real store is not included.

const [bundle = "", call = ""] = process.argv.slice(2);

/** As many days as a chart shows. */
const PERIOD = { from: new Date("2024-01-01"), to: new Date("2024-02-29"), interval: 720, seed: SEED };

/** After an hour two intervals are missing, which is the most that a run adds. */
const HOUR_MS = 3_600_000;

const store = createMemoryStore();
const { count } = await load(store, generateRecords(PERIOD));
const readAsset = (url: string) => readFile(join(PROJECT, "dist/assets", new URL(url).pathname));
const ASSETS = { fetch: async (url: string) => new Response(await readAsset(url)) };
const env = { GROW: "on", ASSETS };
const { default: worker, memory } = await import(pathToFileURL(bundle).href);
memory.assignStore(env, store);
const request = new Request(new URL(call, "https://counts.example"), { headers: { Accept: "text/html" } });
// Node loads its own implementation of fetch on the first use, which the platform has already done.
await new Response(request.url, { headers: new Headers() }).text();
const print = console.log;
// The worker logs a run of the cron trigger.
console.log = () => {};

const before = await readCpuTime();
const result =
  call === "growth"
    ? await worker.scheduled({ scheduledTime: PERIOD.to.getTime() + HOUR_MS }, env)
    : await worker.fetch(request, env, { waitUntil() {} });
const milliseconds = (await readCpuTime()) - before;
const isDone = call === "growth" ? (await store.readState()).count > count : result.status === 200;
if (!isDone) throw new Error(`The first call, ${call}, failed`);
print(milliseconds);

/** Linux brings the CPU time of a thread up to date when it pauses, and otherwise every 4 ms. */
async function readCpuTime(): Promise<number> {
  await setTimeout(2);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
