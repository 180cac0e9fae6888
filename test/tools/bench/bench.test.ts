import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { measureRequest } from "../../../tools/bench/cases.ts";
import { listenOnFreePort } from "../../free-port.ts";

test("the benchmark measures every case, walk and load", async () => {
  // The benchmark itself checks that every response is the page.
  const options = ["--json", "--records", "2000", "--rounds", "1", "--milliseconds", "20"];
  const { stdout } = await promisify(execFile)(process.execPath, ["tools/bench/bench.ts", ...options]);
  // The figures depend on the machine.
  const number = expect.toSatisfy((figure) => figure > 0);
  const figures = { rps: number, p50_ms: number, p99_ms: number, rows_read: null };
  const pages = ["first", "middle", "last"];
  const stores = ["d1", "kv"];
  expect(JSON.parse(stdout)).toEqual({
    records: 2_000,
    results: [
      { store: null, page: null, mode: "baseline", ...figures },
      ...stores.flatMap((store) => [
        { store, page: null, mode: "store_baseline", ...figures },
        ...["cold", "hot"].flatMap((mode) =>
          // The state, one block or two, and perhaps the row where a scan ends.
          pages.map((page) => ({
            store,
            page,
            mode,
            ...figures,
            rows_read: store === "d1" ? expect.toBeOneOf([2, 3]) : null,
          })),
        ),
      ]),
      { store: "d1", page: "middle", mode: "wrangler_dev", ...figures, rows_read: expect.toBeOneOf([2, 3]) },
      { store: "memory", page: "middle", mode: "package", ...figures },
    ],
    ratios: {
      hot_vs_baseline: number,
      cold_d1_vs_store_baseline: number,
      cold_kv_vs_store_baseline: number,
      last_vs_first_p50_d1: number,
      last_vs_first_p50_kv: number,
    },
    walks: stores.map((store) => ({ store, pages: 134, pages_per_second: number })),
    loads: stores.map((store) => ({ store, seconds: number, megabytes: number })),
  });
});

test.each<[{ status?: number; body?: string }, string | undefined]>([
  [{}, undefined],
  [{ body: "another page" }, "1 wrong bodies, 0 wrong statuses"],
  [{ status: 500 }, "0 wrong bodies, 1 wrong statuses"],
])("one response with %j fails the measurement: %s", async ({ status = 200, body = "the page" }, message) => {
  let responses = 0;
  const server = createServer((_, response) => {
    const isOther = ++responses === 20;
    response.writeHead(isOther ? status : 200).end(isOther ? body : "the page");
  });
  const { origin, close } = await listenOnFreePort(server);
  const measured = measureRequest({ url: origin, body: "the page" }, 20).finally(close);
  if (message) return expect(measured).rejects.toThrow(message);
  const { rps, p50_ms, p99_ms } = await measured;
  expect(Math.min(rps, p50_ms)).toBeGreaterThan(0);
  expect(p99_ms).toBeGreaterThanOrEqual(p50_ms);
});
