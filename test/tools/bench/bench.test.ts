import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";

const RECORDS = 2_000;

const figure = z.number().positive();
const store = z.enum(["d1", "kv"]);

/** The output of the benchmark. Its figures depend on the machine. */
const Report = z.strictObject({
  records: z.literal(RECORDS),
  results: z.array(
    z.strictObject({
      store: store.nullable(),
      page: z.enum(["first", "middle", "last"]).nullable(),
      mode: z.string(),
      rps: figure,
      p50_ms: figure,
      p99_ms: figure,
      rows_read: z.int().nullable(),
    }),
  ),
  ratios: z.strictObject({
    hot_vs_floor: figure,
    cold_d1_vs_store_floor: figure,
    cold_kv_vs_store_floor: figure,
    last_vs_first_p50_d1: figure,
    last_vs_first_p50_kv: figure,
  }),
  walks: z.array(
    z.strictObject({ store, pages: z.literal(134), store_reads: z.int(), pages_per_second: figure }),
  ),
  loads: z.array(z.strictObject({ store, seconds: figure })),
  first_calls: z.array(z.strictObject({ call: z.string(), cpu_ms: figure })),
});

test("the benchmark measures every case, walk, load and first call", async () => {
  // Measurements this short give meaningless times. That every response is the page is checked by the benchmark itself.
  const options = ["--records", String(RECORDS), "--rounds", "1", "--milliseconds", "20"];
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["tools/bench/bench.ts", "--json", ...options]);
  const { results, walks, loads, first_calls } = Report.parse(JSON.parse(stdout));
  expect(results.map(({ store, page, mode }) => [store, page, mode].filter(Boolean).join(" "))).toEqual([
    "floor",
    ...["d1", "kv"].flatMap((store) => [
      `${store} store_floor`,
      ...["first", "middle", "last"].flatMap((page) => [`${store} ${page} cold`, `${store} ${page} hot`]),
    ]),
    "d1 middle wrangler_dev",
  ]);
  for (const { store, page, rows_read } of results) {
    // The state, one block or two, and perhaps the row where a scan ends.
    if (store === "d1" && page) expect([2, 3]).toContain(rows_read);
    else expect(rows_read).toBeNull();
  }
  // The state and 13 blocks, and the state again every 5 seconds on a slow machine.
  for (const { store_reads } of walks) {
    expect(store_reads).toBeGreaterThanOrEqual(14);
    expect(store_reads).toBeLessThan(27);
  }
  expect([...walks, ...loads].map(({ store }) => store)).toEqual(["d1", "kv", "d1", "kv"]);
  expect(first_calls.map(({ call }) => call)).toEqual(["/", "/api/tf1/records/", "growth"]);
});
