import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { measure } from "../../../tools/bench/load-generator.ts";
import { listen } from "../../listen.ts";

const figure = z.number().positive();
const store = z.enum(["d1", "kv"]);

/** The output of the benchmark. Its figures depend on the machine. */
const Report = z.strictObject({
  records: z.literal(2_000),
  results: z.array(
    z.strictObject({
      store: z.enum(["d1", "kv", "memory"]).nullable(),
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
  walks: z.array(z.strictObject({ store, pages: z.literal(134), pages_per_second: figure })),
  loads: z.array(z.strictObject({ store, seconds: figure })),
});

test("the benchmark measures every case, walk and load", async () => {
  // The benchmark itself checks that every response is the page.
  const options = ["--json", "--records", "2000", "--rounds", "1", "--milliseconds", "20"];
  const { stdout } = await promisify(execFile)(process.execPath, ["tools/bench/bench.ts", ...options]);
  const { results, walks, loads } = Report.parse(JSON.parse(stdout));
  expect(results.map(({ store, page, mode }) => [store, page, mode].filter(Boolean).join(" "))).toEqual([
    "floor",
    ...["d1", "kv"].flatMap((store) => [
      `${store} store_floor`,
      ...["first", "middle", "last"].map((page) => `${store} ${page} cold`),
      ...["first", "middle", "last"].map((page) => `${store} ${page} hot`),
    ]),
    "d1 middle wrangler_dev",
    "memory middle package",
  ]);
  for (const { store, page, rows_read } of results) {
    // The state, one block or two, and perhaps the row where a scan ends.
    if (store === "d1" && page) expect([2, 3]).toContain(rows_read);
    else expect(rows_read).toBeNull();
  }
  expect([...walks, ...loads].map(({ store }) => store)).toEqual(["d1", "kv", "d1", "kv"]);
});

/** Measures a server whose 20th response is another one. */
async function measureServer({ status = 200, body = "the page" }) {
  let responses = 0;
  const server = createServer((_, response) => {
    const isOther = ++responses === 20;
    response.writeHead(isOther ? status : 200).end(isOther ? body : "the page");
  });
  const { origin, close } = await listen(server);
  return measure({ url: origin, body: "the page" }, 20).finally(close);
}

test("responses with the page are timed", async () => {
  const { rps, p50_ms, p99_ms } = await measureServer({});
  expect(rps).toBeGreaterThan(0);
  expect(p50_ms).toBeGreaterThan(0);
  expect(p99_ms).toBeGreaterThanOrEqual(p50_ms);
});

test.each([
  [{ body: "another page" }, "1 wrong bodies, 0 wrong statuses"],
  [{ status: 500 }, "0 wrong bodies, 1 wrong statuses"],
])("one response with %j fails the measurement", async (wrong, message) =>
  expect(measureServer(wrong)).rejects.toThrow(message),
);
