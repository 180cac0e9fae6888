import type { D1Database } from "@cloudflare/workers-types";
import { lastPage, PAGE_SIZE, type PageNumber, pagePositions } from "../page.ts";
import type { TrafficRecord } from "../record.ts";
import type { RecordStore } from "./store.ts";

/** The columns of a record, in the order of its fields; `model_name` has one value and needs none. */
export const COLUMNS = [
  "id",
  "camera_pk",
  "camera_ref",
  "timestamp",
  "camera_ok",
  "cars",
  "persons",
  "bicycles",
  "trucks",
  "motorcycles",
  "buses",
] as const satisfies (keyof TrafficRecord)[];

const FIELDS = [...COLUMNS.map((column) => `'${column}', ${column}`), "'model_name', 'tf1'"].join(", ");

/**
 * Reads the state and one page of it: one statement, so that both always belong together. Positions are a range of
 * the primary key, so it reads the rows of the page and no others. `?1` is the page, null for the last one.
 */
export const PAGE_QUERY = `
  WITH current AS (
    SELECT version, count, coalesce(?1, max(1, (count + ${PAGE_SIZE - 1}) / ${PAGE_SIZE})) AS page
    FROM state WHERE only = 1
  )
  SELECT version, count, page, count(position) AS found,
         json_group_array(json_object(${FIELDS})) FILTER (WHERE position IS NOT NULL) AS results
  FROM (
    SELECT current.*, position, ${COLUMNS.join(", ")} FROM current LEFT JOIN records
      ON records.version = current.version
     AND position BETWEEN count - ${PAGE_SIZE} * page + 1 AND count - ${PAGE_SIZE} * (page - 1)
    ORDER BY position DESC
  )`;

interface Row {
  version: number | null;
  count: number;
  page: number;
  /** Records in `results`. */
  found: number;
  results: string;
}

/** The collection in a D1 database with the tables of data/migrations. */
export function d1Store(database: D1Database): RecordStore {
  return {
    async page(page) {
      const row = await database.prepare(PAGE_QUERY).bind(toParameter(page)).first<Row>();
      if (!row || row.version === null) throw new Error("D1 holds no state");
      requireWhole(row);
      return { state: { version: row.version, count: row.count }, number: row.page, results: row.results };
    },
  };
}

function toParameter(page: PageNumber): number | null {
  return page === "last" ? null : page;
}

/** A page with records missing would look like a shorter one; it is a failure of the store instead. */
function requireWhole({ found, count, page }: Row): void {
  if (page > lastPage(count)) return;
  const { first, last } = pagePositions(count, page);
  const expected = last - first + 1;
  if (found !== expected)
    throw new Error(`D1 holds ${found} of the ${expected} records of page ${page} of ${count}`);
}
