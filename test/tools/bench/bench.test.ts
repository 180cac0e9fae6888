import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { prepareCollection } from "../../../tools/bench/collection.ts";
import { bundleWorker } from "../../../tools/bench/runtime.ts";
import { createFolder } from "../../temporary-folder.ts";

const RECORDS = 2_000;

const ratio = z.number().positive();

/** The output of the benchmark. The times in it depend on the machine. */
const Report = z.strictObject({
  records: z.literal(RECORDS),
  results: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]).nullable(),
      page: z.enum(["first", "middle", "last"]).nullable(),
      mode: z.enum(["hot", "cold", "empty", "floor", "store_floor"]),
      rps: z.number().positive(),
      p50_ms: z.number().positive(),
      p99_ms: z.number().positive(),
      rows_read: z.int().nonnegative().nullable(),
    }),
  ),
  ratios: z.strictObject({
    hot_vs_floor: ratio,
    cold_d1_vs_store_floor: ratio,
    cold_kv_vs_store_floor: ratio,
    empty_d1_vs_store_floor: ratio,
    empty_kv_vs_store_floor: ratio,
    last_vs_first_p50_d1: ratio,
    last_vs_first_p50_kv: ratio,
  }),
  walks: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]),
      delay_ms: z.number(),
      pages: z.int().positive(),
      store_reads: z.int().positive(),
      pages_per_second: ratio,
    }),
  ),
  loads: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]),
      records: z.literal(RECORDS),
      seconds: ratio,
      peak_mb: ratio,
    }),
  ),
  first_pages: z.array(z.strictObject({ path: z.string(), cpu_ms: ratio })).length(3),
});

const runFile = promisify(execFile);

const folder = createFolder();

test("an incomplete preparation is repeated, and a complete preparation is kept", async () => {
  const kept = join(folder, String(RECORDS));
  const leftover = join(kept, "leftover");
  await mkdir(kept);
  await writeFile(leftover, "");
  const bundle = await bundleWorker();
  await prepareCollection(RECORDS, bundle, kept);
  expect(existsSync(leftover)).toBe(false);
  const { mtimeMs } = await stat(join(kept, "complete"));
  await writeFile(leftover, "");
  await prepareCollection(RECORDS, bundle, kept);
  expect(existsSync(leftover)).toBe(true);
  expect((await stat(join(kept, "complete"))).mtimeMs).toBe(mtimeMs);
});

test("the benchmark measures every case, walk and load", async () => {
  const command = [
    "tools/bench/bench.ts",
    "--json",
    // A run this short gives meaningless times. The test checks only the form of the report and the number of reads.
    ...["--records", String(RECORDS), "--rounds", "1", "--seconds", "0.1", "--persist-to", folder],
    ...["--load-records", String(RECORDS)],
  ];
  const { stdout } = await runFile(process.execPath, command);
  const report = Report.parse(JSON.parse(stdout));
  requireCases(report);
  requireReads(report);
  expect(report.loads.map(({ store }) => store)).toEqual(["d1", "kv"]);
});

/** Requires every page of both stores in each mode, and the floors. D1 reads at most 3 rows for a page at any depth. */
function requireCases({ results }: z.infer<typeof Report>): void {
  const cases = results.map(({ store, page, mode }) => [store, page, mode].filter(Boolean).join(" "));
  const pages = ["first", "middle", "last"].flatMap((page) => [
    `${page} cold`,
    `${page} empty`,
    `${page} hot`,
  ]);
  expect(cases.toSorted()).toEqual(
    [
      "floor",
      ...["d1", "kv"].flatMap((store) => ["store_floor", ...pages].map((one) => `${store} ${one}`)),
    ].sort(),
  );
  for (const { store, page, rows_read } of results) {
    if (store !== "d1" || page === null) expect(rows_read).toBeNull();
    else expect(rows_read).toSatisfy((rows: number) => rows > 0 && rows <= 3);
  }
}

/** The 134 pages are stored in six blocks and the tail. KV also reads the state, and reads both blocks if a page spans two. */
function requireReads({ walks }: z.infer<typeof Report>): void {
  expect(walks.map(({ store, delay_ms }) => `${store} ${delay_ms}`)).toEqual([
    "d1 0",
    "d1 30",
    "kv 0",
    "kv 30",
  ]);
  for (const { store, pages, store_reads } of walks) {
    expect(pages).toBe(134);
    expect(store_reads).toBeLessThanOrEqual(store === "d1" ? 7 : 14);
  }
}
