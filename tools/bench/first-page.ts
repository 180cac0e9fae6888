import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { generateRecords } from "../../src/generator/records.ts";
import { bindNamespace, createKvStore } from "../../src/store/kv.ts";
import { load } from "../../src/store/writer.ts";

// Prints the CPU time in milliseconds of the first request to a new instance. The arguments are the bundled worker and a
// path. The instance is this process; its store is a map, so the time of a real store is not included.

const [bundle = "", path = "/"] = process.argv.slice(2);

/** As many days as a chart shows. */
const PERIOD = {
  from: new Date("2024-01-01"),
  to: new Date("2024-02-29"),
  cameras: 10,
  interval: 30,
  seed: 1,
};

const values = new Map<string, string>();
const KV = {
  get: async (key: string) => values.get(key) ?? null,
  put: async (key: string, value: string) => void values.set(key, value),
  delete: async (key: string) => void values.delete(key),
  list: async () => ({ keys: [...values.keys()].map((name) => ({ name })), list_complete: true }),
};
const ASSETS = {
  fetch: async (url: string) =>
    new Response(await readFile(join(PROJECT, "dist/assets", new URL(url).pathname))),
};

await load(createKvStore(bindNamespace(KV as never)), generateRecords(PERIOD));
const { default: worker } = await import(pathToFileURL(bundle).href);
const request = new Request(`https://counts.example${path}`, { headers: { Accept: "text/html" } });
// Node loads its own implementation of fetch on the first use, which the platform has already done.
await new Response(new Request("https://counts.example").url, { headers: new Headers() }).text();
const before = await readCpuTime();
const response: Response = await worker.fetch(request, { STORE: "kv", KV, ASSETS }, { waitUntil() {} });
const milliseconds = (await readCpuTime()) - before;
const text = await response.text();
if (response.status !== 200 || !text.startsWith("<!doctype html>"))
  throw new Error(`${path} returned ${response.status}: ${text}`);
console.log(milliseconds);

/** Linux brings the CPU time of a thread up to date when it pauses, and otherwise every 4 ms. */
async function readCpuTime(): Promise<number> {
  await setTimeout(2);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
