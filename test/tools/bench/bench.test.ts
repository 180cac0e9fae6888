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

const ratio = z.number().positive();

/** What the bench prints; its times depend on the machine. */
const Report = z.strictObject({
  records: z.literal(RECORDS),
  results: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv"]).nullable(),
      page: z.enum(["first", "middle", "last"]).nullable(),
      mode: z.enum(["hot", "cold", "floor", "store_floor"]),
      rps: z.number().positive(),
      p50_ms: z.number().positive(),
      p99_ms: z.number().positive(),
      rows_read: z.int().nonnegative().nullable(),
    }),
  ),
  ratios: z.strictObject({
    hot_vs_floor: ratio,
    cold_d1_vs_store_floor: ratio,
    last_vs_first_p50_d1: ratio,
    last_vs_first_p50_kv: ratio,
  }),
  first_pages: z.array(z.strictObject({ path: z.string(), cpu_ms: ratio })).length(3),
});

const runFile = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** For a moment only: the figures mean nothing, their shape and the rows read do. */
const benchArguments = () => [
  "tools/bench/bench.ts",
  "--json",
  ...["--records", String(RECORDS), "--rounds", "1", "--seconds", "0.1", "--persist-to", folder],
];

async function runBench(): Promise<z.infer<typeof Report>> {
  const { stdout } = await runFile(process.execPath, benchArguments());
  return Report.parse(JSON.parse(stdout));
}

test("measures everything; an interrupted preparation is made anew, a complete one is kept", async () => {
  const kept = join(folder, String(RECORDS));
  const interrupted = spawn(process.execPath, benchArguments(), { stdio: "ignore" });
  const ended = once(interrupted, "exit");
  while (!existsSync(kept)) await setTimeout(5);
  interrupted.kill("SIGTERM");
  await ended;
  await runBench();
  const { mtimeMs } = await stat(join(kept, "complete"));
  requireCases(await runBench());
  expect((await stat(join(kept, "complete"))).mtimeMs).toBe(mtimeMs);
});

/** Every page of both stores, hot and cold, and the floors. A page must cost D1 no more than 32 rows at any depth. */
function requireCases({ results }: z.infer<typeof Report>): void {
  const cases = results.map(({ store, page, mode }) => [store, page, mode].filter(Boolean).join(" "));
  const pages = ["first", "middle", "last"].flatMap((page) => [`${page} cold`, `${page} hot`]);
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
