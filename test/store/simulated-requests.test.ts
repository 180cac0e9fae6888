import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/bindings.ts";
import { getLastPage, PAGE_SIZE } from "../../src/records/page.ts";
import type { Page, TrafficRecord } from "../../src/records/schema.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { createWritableD1Store } from "../../tools/data/stores/d1-writer.ts";
import { undoLoad } from "../../tools/data/stores/writer.ts";
import { PATH } from "../support/exchange.ts";
import { context, ORIGIN } from "../support/memory-service.ts";
import { makeNewestFirst } from "../support/reader.ts";
import { loadRecords } from "../support/stores.ts";
import { createFailingBinding, createPendingPromise } from "./failing-database.ts";
import { createSimulatedDatabase } from "./simulated-stores.ts";
import { currentRequest, type Random, simulate, wait } from "./virtual-clock.ts";

/** The number of histories, with 160 requests each. The weekly job simulates more. */
const HISTORIES = 30 * Number(process.env.SIMULATED_DAYS ?? 3);

/** The maximum duration of a request. */
const MAX_RESPONSE_MS = 7_000;

/** The maximum time for which a replaced snapshot is served while the store works. */
const MAX_STALE_MS = 9_000;

/** The maximum age of the snapshot without the page of a 404, at the start of the request. */
const MAX_404_AGE_MS = 1_000;

/** How long after a failed read the service may still show it. */
const RECOVERY_MS = 10_000;

const SIZES = [0, 1, 15, 16, 190, BLOCK_SIZE, BLOCK_SIZE + 1, 400, 4 * BLOCK_SIZE];

/** Each load has different records, so that records of a different load are noticed. */
const RECORDS = makeNewestFirst(20_000);

/** A snapshot and the time when it was current. A restored backup has another period. */
interface Period {
  id: string;
  from: number;
  to: number;
}

/** Loads records, undoes loads and restores backups, and writes down which snapshot was current when. */
function createHistory(random: Random, lagMs: number) {
  const contents = new Map<string, TrafficRecord[]>([["empty", []]]);
  const periods: Period[] = [{ id: "empty", from: Date.now(), to: Number.POSITIVE_INFINITY }];
  const database = createSimulatedDatabase(random, lagMs, (id) => {
    periods.at(-1)!.to = Date.now();
    periods.push({ id, from: Date.now(), to: Number.POSITIVE_INFINITY });
  });
  const opened = createWritableD1Store(database);
  let offset = 0;
  const load = async () => {
    const size = SIZES[Math.floor(random() * SIZES.length)]!;
    offset = (offset + size) % (RECORDS.length - 1_000);
    const records = RECORDS.slice(offset, offset + size);
    const write: typeof opened.write = async (id, blocks) => {
      contents.set(id, records);
      await wait(random() * 500);
      return opened.write(id, blocks);
    };
    await loadRecords({ ...opened, write }, records);
  };
  return { database, contents, periods, load, undo: () => undoLoad(opened) };
}

const TABLES = ["block", "snapshot"];
const BACK_UP = TABLES.flatMap((table) => [
  `DROP TABLE IF EXISTS backup_of_${table}`,
  `CREATE TABLE backup_of_${table} AS SELECT * FROM ${table}`,
]);
const RESTORE = TABLES.flatMap((table) => [
  `DELETE FROM ${table}`,
  `INSERT INTO ${table} SELECT * FROM backup_of_${table}`,
]);

/** Writes until `isOver`: loads, undone loads, backups and restored backups. */
async function write(
  { database, load, undo }: ReturnType<typeof createHistory>,
  random: Random,
  isOver: () => boolean,
) {
  let hasBackup = false;
  while (!isOver()) {
    await wait(random() * random() * 100_000);
    if (hasBackup && random() < 0.2) await database.write(RESTORE);
    else await (random() < 0.2 ? undo() : load());
    if (random() < 0.7) continue;
    await database.write(BACK_UP);
    hasBackup = true;
  }
}

/** Simulates instances, their database and their clients for some minutes or hours. Returns the problems of the responses. */
async function simulateHistory(random: Random): Promise<string[]> {
  const history = createHistory(random, random() < 0.5 ? 0 : random() * 20_000);
  // Impatient clients of one cached page, so that only the age of the snapshot decides.
  const isBusy = random() < 0.2;
  const latencyMs = !isBusy && random() < 0.7 ? 20 + random() * 300 : random() * 1_400;
  const failureRate = isBusy || random() < 0.5 ? 0 : random();
  let failsUntil = 0;
  const behavior = { latencyMs, failureRate, getFailureEnd: () => failsUntil };
  const abortRate = isBusy ? 0.9 : random() < 0.7 ? 0 : random();
  const { app } = createApp();
  const createInstance = () => {
    const { seen, binding } = createFailingBinding(history.database, behavior, random);
    const env: Env = { STORE: "d1", DB: binding, RATE_LIMIT: "off" };
    return { seen, env };
  };
  const instances = [createInstance(), createInstance()];
  const problems: string[] = [];
  const sendRequest = async () => {
    const page = isBusy ? "1" : drawPage(random);
    const { seen, env } = instances[Math.floor(random() * instances.length)]!;
    const startedAt = Date.now();
    const request = new Request(`${ORIGIN}${PATH}?page=${page}`);
    const state = { isOver: false };
    const end = random() < abortRate ? wait(random() * 500) : createPendingPromise();
    const response = await Promise.race([
      currentRequest.run(state, async () => app.fetch(request, env, context)),
      end,
    ]);
    state.isOver = true;
    if (!response) return;
    const works = seen.failedAt < startedAt - RECOVERY_MS;
    const problem = await findProblem(history, { page, works, startedAt, endedAt: Date.now() }, response);
    if (problem) problems.push(`${problem}: ${response.status} for page ${page} at ${startedAt}`);
  };
  await history.load();
  let isOver = false;
  const writing = write(history, random, () => isOver);
  const requests: Promise<void>[] = [];
  for (let sent = 0; sent < 160; sent++) {
    await wait(isBusy ? random() * 400 : drawPause(random));
    if (random() < 0.05) failsUntil = Date.now() + random() * 20_000;
    if (random() < 0.02) instances[0] = createInstance();
    requests.push(sendRequest());
  }
  const tooLong = wait(10 * MAX_RESPONSE_MS).then(() => Promise.reject(new Error("a request does not end")));
  await Promise.race([Promise.all(requests), tooLong]);
  isOver = true;
  await writing;
  return problems;
}

/** Half of the requests are concurrent, some come after seconds, and a few after minutes. */
function drawPause(random: Random): number {
  const kind = random();
  if (kind < 0.5) return 0;
  if (kind < 0.8) return random() * 1_500;
  return random() * (kind < 0.98 ? 7_000 : 120_000);
}

function drawPage(random: Random): string {
  return random() < 0.1 ? "last" : String(Math.ceil(random() * (random() < 0.7 ? 12 : 50)));
}

interface PageRequest {
  page: string;
  startedAt: number;
  endedAt: number;
  /** Whether no read failed for a while. */
  works: boolean;
}

/** Finds out what is wrong with a response. */
async function findProblem(
  { contents, periods }: ReturnType<typeof createHistory>,
  { page, startedAt, endedAt, works }: PageRequest,
  response: Response,
): Promise<string | undefined> {
  const listCurrent = (from: number) =>
    periods.filter((period) => period.from <= endedAt && period.to >= from);
  const getNumber = (records: TrafficRecord[]) =>
    page === "last" ? getLastPage(records.length) : Number(page);
  if (endedAt - startedAt > MAX_RESPONSE_MS) return "the response takes too long";
  if (response.status === 503) return works ? "an error although the store works" : undefined;
  if (response.status === 404) {
    const lacksPage = ({ id }: Period) => Number(page) > getLastPage(contents.get(id)!.length);
    return listCurrent(startedAt - MAX_404_AGE_MS).some(lacksPage) ? undefined : "404 for an existing page";
  }
  const [, shown = ""] = /^"(.*?)-/.exec(response.headers.get("ETag") ?? "") ?? [];
  const records = contents.get(shown)!;
  const first = PAGE_SIZE * (getNumber(records) - 1);
  const { count, results }: Page = JSON.parse(await response.text());
  if (count !== records.length) return "the count of a different snapshot";
  if (JSON.stringify(results) !== JSON.stringify(records.slice(first, first + PAGE_SIZE)))
    return "records of a different page or snapshot";
  if (works && !listCurrent(startedAt - MAX_STALE_MS).some(({ id }) => id === shown))
    return "a stale snapshot";
  return undefined;
}

test(
  "in a random history, each response uses one snapshot and is fresh",
  { timeout: 180_000 + HISTORIES * 1_000 },
  () => simulate(HISTORIES, async (random) => expect(await simulateHistory(random)).toEqual([])),
);
