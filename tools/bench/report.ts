import type { StoreName } from "../../data/stores/configuration.ts";
import type { Case, Mode, PageName } from "./cases.ts";
import type { FirstPage } from "./first-pages.ts";
import type { Figures } from "./load-run.ts";
import type { LoadResult } from "./load-times.ts";
import type { Measured } from "./repeat.ts";
import type { WalkResult } from "./walk.ts";

/** The rows that D1 reads for each page, and bills. */
export type RowsRead = Record<PageName, number>;

/** The medians of a case over all rounds. */
export interface Result extends Case, Figures {
  /** The rows that a read of the page from D1 takes, in any mode; null for KV and for floors. */
  rows_read: number | null;
}

/** Each ratio is the median of the ratios within one round. */
export interface Ratios {
  /** Requests/s of the first page from memory to those of the floor. */
  hot_vs_floor: number;
  /** Requests/s of the first page from the store to those of the store's floor. */
  cold_d1_vs_store_floor: number;
  cold_kv_vs_store_floor: number;
  /** The same for a new instance, which does not know the state. */
  empty_d1_vs_store_floor: number;
  empty_kv_vs_store_floor: number;
  /** Time of the last page to that of the first, both from the store. */
  last_vs_first_p50_d1: number;
  last_vs_first_p50_kv: number;
}

export interface Report {
  /** Records in the collection. */
  records: number;
  results: Result[];
  ratios: Ratios;
  walks: WalkResult[];
  /** Empty if loads were not measured. */
  loads: LoadResult[];
  first_pages: FirstPage[];
}

/** Combines the results of all cases. */
export function createReport(
  records: number,
  measured: Measured[],
  rowsRead: RowsRead,
  others: Pick<Report, "walks" | "loads" | "first_pages">,
): Report {
  return {
    ...others,
    records,
    results: measured.map((one) => summarise(one, rowsRead)),
    ratios: {
      hot_vs_floor: ratio("rps", find(measured, "d1", "hot", "first"), find(measured, null, "floor")),
      cold_d1_vs_store_floor: toFloor(measured, "d1", "cold"),
      cold_kv_vs_store_floor: toFloor(measured, "kv", "cold"),
      empty_d1_vs_store_floor: toFloor(measured, "d1", "empty"),
      empty_kv_vs_store_floor: toFloor(measured, "kv", "empty"),
      last_vs_first_p50_d1: lastToFirst(measured, "d1"),
      last_vs_first_p50_kv: lastToFirst(measured, "kv"),
    },
  };
}

/** Formats the report as text. */
export function formatReport({ records, results, ratios, walks, loads, first_pages }: Report): string {
  const rows = results.map(({ store, page, mode, rps, p50_ms, p99_ms, rows_read }) => [
    store ?? "",
    page ?? "",
    mode,
    rps.toFixed(0),
    p50_ms.toFixed(2),
    p99_ms.toFixed(2),
    rows_read === null ? "" : String(rows_read),
  ]);
  const table = [["store", "page", "mode", "requests/s", "p50 ms", "p99 ms", "rows read"], ...rows].map(
    formatRow,
  );
  const lines = Object.entries(ratios).map(([name, value]) => `${name.padEnd(24)}${value.toFixed(2)}`);
  return [
    `${records} records`,
    "",
    ...table,
    "",
    ...lines,
    "",
    ...walks.map(formatWalk),
    "",
    ...loads.map(formatLoad),
    "",
    ...first_pages.map(
      ({ path, cpu_ms }) => `first page of an instance, ${path}: ${cpu_ms.toFixed(1)} ms of CPU`,
    ),
  ]
    .join("\n")
    .trimEnd();
}

function summarise({ store, page, mode, rounds }: Measured, rowsRead: RowsRead): Result {
  return {
    store,
    page,
    mode,
    rps: round(median(rounds.map(({ rps }) => rps)), 0),
    p50_ms: round(median(rounds.map(({ p50_ms }) => p50_ms)), 3),
    p99_ms: round(median(rounds.map(({ p99_ms }) => p99_ms)), 3),
    rows_read: store === "d1" && page !== null ? rowsRead[page] : null,
  };
}

function toFloor(measured: Measured[], store: StoreName, mode: Mode): number {
  return ratio("rps", find(measured, store, mode, "first"), find(measured, store, "store_floor"));
}

function lastToFirst(measured: Measured[], store: StoreName): number {
  return ratio("p50_ms", find(measured, store, "cold", "last"), find(measured, store, "cold", "first"));
}

function find(
  measured: Measured[],
  store: StoreName | null,
  mode: Mode,
  page: PageName | null = null,
): Measured {
  const found = measured.find((one) => one.store === store && one.mode === mode && one.page === page);
  if (!found) throw new Error(`${store} ${mode} ${page} was not measured`);
  return found;
}

function ratio(figure: keyof Figures, one: Measured, other: Measured): number {
  const ratios = one.rounds.map(
    (figures, index) => figures[figure] / (other.rounds[index]?.[figure] ?? Number.NaN),
  );
  return round(median(ratios), 3);
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const around = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((around[0] ?? Number.NaN) + (around[1] ?? Number.NaN)) / 2;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function formatRow([store = "", page = "", mode = "", ...figures]: string[]): string {
  const columns = figures.map((figure) => figure.padStart(12));
  return `${store.padEnd(6)}${page.padEnd(8)}${mode.padEnd(12)}${columns.join("")}`;
}

function formatWalk({ store, delay_ms, pages, store_reads, pages_per_second }: WalkResult): string {
  const delay = delay_ms > 0 ? `, ${delay_ms} ms for each read` : "";
  return `walk of ${pages} pages from ${store}${delay}: ${pages_per_second} pages/s, ${store_reads} reads of the store`;
}

function formatLoad({ store, records, seconds, peak_mb }: LoadResult): string {
  return `load of ${records} records into ${store}: ${seconds} s, ${peak_mb} MB`;
}
