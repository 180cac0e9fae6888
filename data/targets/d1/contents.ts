import type { TrafficRecord } from "../../../src/records/record.ts";
import { FIELDS } from "../../../src/store/d1.ts";
import type { State } from "../../../src/store/store.ts";
import type { Deployment } from "../../../tools/wrangler/wrangler.ts";
import { chunk } from "../../chunk.ts";
import { measureDatabase } from "../local-size.ts";
import type { Range } from "../ranges.ts";
import type { Loaded } from "../target.ts";
import { queryD1, queryTables } from "./database.ts";

const STATE = "SELECT version, count, loaded_at FROM state WHERE version > 0";
const STATISTICS = "SELECT text FROM statistics JOIN state USING (version, count) ORDER BY part";

/** Ids in one query, of 17 characters at most: a statement may have 100 KB. */
const IDS = 5_000;

/** Records in one row of an answer: D1 refuses rows of more than 2 MB. */
const ROW_RECORDS = 1_000;

/**
 * What the database holds, and undefined if that is nothing. It reads only: tables that are missing stay so.
 * @throws if wrangler fails, with its message
 */
export async function readLoaded(deployment: Deployment): Promise<Loaded | undefined> {
  const read = await queryTables([STATE, STATISTICS], deployment);
  const [state, statistics] = read ?? (await queryTables([STATE], deployment)) ?? [];
  const row = state?.results[0];
  if (!row) return undefined;
  const text = statistics?.results.map((part) => part.text).join("");
  return {
    state: { version: Number(row.version), count: Number(row.count) },
    loadedAt: row.loaded_at === null ? undefined : String(row.loaded_at),
    statistics: text ? JSON.parse(text) : undefined,
    bytes: state.meta.size_after ?? (await measureDatabase(deployment)),
  };
}

/**
 * The records of a range of positions, oldest first.
 * @throws if some are missing, as are all of a version that was replaced
 */
export async function readRecords(
  { version }: State,
  { first, last }: Range,
  deployment: Deployment,
): Promise<TrafficRecord[]> {
  const query = `
    SELECT json_group_array(json_object(${FIELDS}) ORDER BY position) AS records FROM records
    WHERE version = ${version} AND position BETWEEN ${first} AND ${last}
    GROUP BY position / ${ROW_RECORDS} ORDER BY position / ${ROW_RECORDS}`;
  const [read] = await queryD1([query], deployment);
  const records = (read?.results ?? []).flatMap((row) => parseRecords(String(row.records)));
  const expected = last - first + 1;
  if (records.length === expected) return records;
  throw new Error(`D1 holds ${records.length} of the ${expected} records from position ${first} on`);
}

function parseRecords(text: string): TrafficRecord[] {
  return JSON.parse(text);
}

/** Gives those of the ids that the records of a state have: no index holds ids, so each few thousand read them all. */
export async function* findIds(
  ids: Iterable<number>,
  { version }: State,
  deployment: Deployment,
): AsyncGenerator<number> {
  for (const some of chunk(ids, IDS)) {
    const query = `SELECT id FROM records WHERE version = ${version} AND id IN (${some})`;
    const [found] = await queryD1([query], deployment);
    for (const { id } of found?.results ?? []) yield Number(id);
  }
}
