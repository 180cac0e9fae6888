import type { KVNamespace } from "@cloudflare/workers-types";
import { lastPage, type PageNumber, pagePositions } from "../records/page.ts";
import type { Statistics } from "../records/statistics.ts";
import { type Block, blocksOf, STATE_KEY, statisticsKey } from "./blocks.ts";
import { readPatiently } from "./patience.ts";
import type { Loaded, RecordStore, State, StoredPage } from "./store.ts";

/** The shortest that KV allows: how long a location may go on showing the old state after a load. */
const STATE_TTL_SECONDS = 30;

/** Blocks and statistics never change. */
const UNCHANGING_TTL_SECONDS = 86_400;

/**
 * The collection in a KV namespace: the state under one key, and blocks of records under keys that contain their
 * version. A block is a record a line, as JSON, newest first. A page lies in one block or in two.
 */
export function kvStore(namespace: KVNamespace): RecordStore {
  return {
    state: () => readPatiently(() => readState(namespace), isTransient),
    page: (page, asOf) => readPatiently(() => readPage(namespace, page, asOf), isTransient),
    loaded: () => readPatiently(() => readLoaded(namespace), isTransient),
  };
}

/** KV says `KV GET failed: 500 Internal Server Error`, with the status of what went wrong inside. */
function isTransient(error: unknown): boolean {
  return /KV GET failed: 5\d\d|Network connection lost/.test(String(error));
}

async function readPage(
  namespace: KVNamespace,
  page: PageNumber,
  asOf: number | undefined,
): Promise<StoredPage> {
  const current = await readState(namespace);
  const state = { ...current, count: asOf ?? current.count };
  const last = lastPage(state.count);
  const number = page === "last" ? last : page;
  const isEmpty = state.count === 0 || number > last || state.count > current.count;
  const results = isEmpty ? "[]" : await readResults(namespace, current, pagePositions(state.count, number));
  return { state, current, number, results };
}

/** The records of a range of positions that `pagePositions` gives, newest first, as JSON. */
async function readResults(
  namespace: KVNamespace,
  current: State,
  { first, last }: { first: number; last: number },
): Promise<string> {
  const blocks = blocksOf(current, first, last);
  const lines = await Promise.all(blocks.map((block) => readLines(namespace, block, first, last)));
  return toResults(lines.flat(), blocks);
}

async function readLoaded(namespace: KVNamespace): Promise<Loaded> {
  const { loadedAt, ...state } = await readSwitch(namespace);
  const key = statisticsKey(state);
  const text = await namespace.get(key, { type: "text", cacheTtl: UNCHANGING_TTL_SECONDS });
  return { state, loadedAt, statistics: text === null ? undefined : (parse(text, key) as Statistics) };
}

async function readState(namespace: KVNamespace): Promise<State> {
  const { version, count } = await readSwitch(namespace);
  return { version, count };
}

/** The state, and when it was switched to. */
async function readSwitch(namespace: KVNamespace): Promise<State & Pick<Loaded, "loadedAt">> {
  const text = await namespace.get(STATE_KEY, { type: "text", cacheTtl: STATE_TTL_SECONDS });
  if (text === null) throw new Error("KV holds no state");
  const { version, count, loaded_at } = Object(parse(text, STATE_KEY));
  if (!isCount(version) || !isCount(count))
    throw new Error(`KV holds a state without version or count: ${text}`);
  return { version, count, loadedAt: typeof loaded_at === "string" ? loaded_at : undefined };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The lines of a block that are records of the positions `first` to `last`. */
export async function readLines(
  namespace: KVNamespace,
  block: Block,
  first: number,
  last: number,
): Promise<string[]> {
  const text = await namespace.get(block.key, { type: "text", cacheTtl: UNCHANGING_TTL_SECONDS });
  if (text === null) throw new Error(`KV lacks the block ${block.key}`);
  const lines = text.split("\n");
  const expected = block.last - block.first + 1;
  if (lines.length !== expected)
    throw new Error(`KV holds ${lines.length} of ${expected} records in ${block.key}`);
  return lines.slice(Math.max(0, block.last - last), block.last - Math.max(first, block.first) + 1);
}

/** Broken text would break the answer that it is put into, so it is looked at before. */
function toResults(lines: string[], blocks: Block[]): string {
  const results = `[${lines.join(",")}]`;
  parse(results, blocks.map(({ key }) => key).join(" or "));
  return results;
}

function parse(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`KV holds text that is not JSON in ${key}`, { cause });
  }
}
