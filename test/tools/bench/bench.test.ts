import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";

const RECORDS = 2_000;
const LOADED = 100;

const ratio = z.number().positive();

/** What the bench prints; its times depend on the machine. */
const Report = z.strictObject({
  records: z.literal(RECORDS),
  results: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]).nullable(),
      page: z.enum(["first", "middle", "last"]).nullable(),
      mode: z.enum(["hot", "empty", "cold", "floor", "store_floor"]),
      rps: z.number().positive(),
      p50_ms: z.number().positive(),
      p99_ms: z.number().positive(),
      rows_read: z.int().nonnegative().nullable(),
    }),
  ),
  walks: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]),
      delay_ms: z.int().nonnegative(),
      pages: z.int().positive(),
      store_reads: z.int().positive(),
      pages_per_second: z.number().positive(),
    }),
  ),
  loads: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]),
      records: z.literal(LOADED),
      seconds: z.number().positive(),
      peak_mb: z.number().positive(),
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
});

const runFile = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** For a moment only: the figures mean nothing, their shape and the rows read do. */
const benchArguments = () => [
  "--json",
  ...["--records", String(RECORDS), "--load-records", String(LOADED), "--persist-to", folder],
  ...["--rounds", "1", "--seconds", "0.05"],
];

async function runBench(): Promise<z.infer<typeof Report>> {
  const { stdout } = await runFile("npm", ["run", "--silent", "bench", "--", ...benchArguments()]);
  return Report.parse(JSON.parse(stdout));
}

test("measures everything; an interrupted preparation is made anew, a complete one is kept", async () => {
  const kept = join(folder, String(RECORDS));
  const interrupted = spawn(process.execPath, ["tools/bench/bench.ts", ...benchArguments()], {
    stdio: "ignore",
  });
  const ended = once(interrupted, "exit");
  while (!existsSync(kept)) await setTimeout(5);
  interrupted.kill("SIGTERM");
  await ended;
  await runBench();
  const { mtimeMs } = await stat(join(kept, "complete"));
  requireCases(await runBench());
  expect((await stat(join(kept, "complete"))).mtimeMs).toBe(mtimeMs);
});

/** Every page of both stores, from memory and from the store, the floors, the walks and the loads. A page must cost D1 no more than 32 rows at any depth. */
function requireCases({ results, walks, loads }: z.infer<typeof Report>): void {
  expect(new Set(walks.map(({ store }) => store))).toEqual(new Set(["d1", "kv"]));
  expect(loads.map(({ store }) => store)).toEqual(["d1", "kv"]);
  const cases = results.map(({ store, page, mode }) => [store, page, mode].filter(Boolean).join(" "));
  const pages = ["first", "middle", "last"].flatMap((page) =>
    ["cold", "empty", "hot"].map((mode) => `${page} ${mode}`),
  );
  expect(cases.toSorted()).toEqual(
    [
      "floor",
      ...["d1", "kv"].flatMap((store) => ["store_floor", ...pages].map((one) => `${store} ${one}`)),
    ].sort(),
  );
  for (const { store, page, rows_read } of results) {
    if (store !== "d1" || page === null) expect(rows_read).toBeNull();
    else expect(rows_read).toSatisfy((rows: number) => rows > 0 && rows <= 32);
  }
}
