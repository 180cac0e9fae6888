import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { COLLECTION_PATH, lastPage } from "../../src/records/page.ts";
import type { Runtime } from "./runtime.ts";

/** Pages of a walk, requested one after the other. */
const PAGES = 400;

/** The time that each read of a distant store takes. */
const SLOW_READ_MS = 30;

/** A walk through the newest pages by one client, served by one instance that begins with nothing in memory. */
export interface WalkResult {
  store: StoreName;
  /** Milliseconds that each read of the store takes longer than it does on this machine. */
  delay_ms: number;
  pages: number;
  /** Reads of the store. */
  store_reads: number;
  pages_per_second: number;
}

/** Walks through both stores, with and without a delay. */
export async function measureWalks(runtime: Runtime, count: number): Promise<WalkResult[]> {
  const results: WalkResult[] = [];
  for (const store of STORE_NAMES)
    for (const delay of [0, SLOW_READ_MS]) results.push(await measureWalk(runtime, store, delay, count));
  return results;
}

async function measureWalk(
  runtime: Runtime,
  store: StoreName,
  delay: number,
  count: number,
): Promise<WalkResult> {
  const origin = await runtime.origin(store, "walked");
  const pages = Math.min(PAGES, lastPage(count));
  await get(`${origin}/begin?delay=${delay}`);
  const startedAt = performance.now();
  for (let page = 1; page <= pages; page++) await get(`${origin}${COLLECTION_PATH}?format=api&page=${page}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const store_reads = Number(await get(`${origin}/reads`));
  return { store, delay_ms: delay, pages, store_reads, pages_per_second: Math.round(pages / seconds) };
}

async function get(url: string): Promise<string> {
  const response = await fetch(url);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${body}`);
  return body;
}
