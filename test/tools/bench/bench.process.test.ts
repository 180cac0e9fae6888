import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { measureRequest } from "../../../tools/bench/cases.ts";
import { listenOnFreePort } from "../../support/free-port.ts";

test("the benchmark measures every case and load", async () => {
  // The benchmark itself checks every response.
  const options = ["--json", "--records", "2000", "--rounds", "1", "--milliseconds", "20"];
  const { stdout } = await promisify(execFile)(process.execPath, ["tools/bench/bench.ts", ...options]);
  // The values depend on the machine.
  const number = expect.toSatisfy((value) => value > 0);
  const measurement = { per_second: number, p50_ms: number, p99_ms: number, share_of_baseline: null };
  const pages = ["first", "middle", "last"];
  const stores = ["d1", "kv"];
  const report = JSON.parse(stdout);
  for (const { p50_ms, p99_ms } of report.requests) expect(p99_ms).toBeGreaterThanOrEqual(p50_ms);
  expect(report).toEqual({
    requests: [
      { store: null, page: null, mode: "baseline", ...measurement },
      ...stores.flatMap((store) => [
        { store, page: null, mode: "store_baseline", ...measurement },
        ...["cold", "hot"].flatMap((mode) =>
          pages.map((page) => ({ store, page, mode, ...measurement, share_of_baseline: number })),
        ),
      ]),
      { store: "memory", page: "middle", mode: "package", ...measurement, share_of_baseline: number },
      { store: null, page: "middle", mode: "node", ...measurement },
    ],
    loads: stores.map((store) => ({ store, records: 2_000, seconds: number, peak_memory_mb: number })),
  });
});

/** Measures a service whose 20th response has the given status and body. */
async function measure({ status = 200, body = "the page" }) {
  let responses = 0;
  const server = createServer((_, response) => {
    const isDifferent = ++responses === 20;
    response.writeHead(isDifferent ? status : 200).end(isDifferent ? body : "the page");
  });
  const { origin, close } = await listenOnFreePort(server);
  return measureRequest({ url: origin, body: "the page" }, 20).finally(close);
}

test.each([
  [{ body: "a different page" }, "1 incorrect bodies, 0 incorrect statuses"],
  [{ status: 500 }, "0 incorrect bodies, 1 incorrect statuses"],
])("one response with %j fails the measurement: %s", async (different, message) => {
  await expect(measure(different)).rejects.toThrow(message);
});
