import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { CSV_HEADER, formatCsvLine } from "../../tools/data/formats/csv.ts";
import { STORE_NAMES } from "../../tools/data/stores/configuration.ts";
import { bundleWorker } from "../support/bundled-worker.ts";
import { PATH } from "../support/exchange.ts";
import { makeRecords } from "../support/sample-records.ts";
import { fetchDocumented, loadInto, startWorker } from "../support/worker.ts";
import { readSampleData } from "../tools/data/input.ts";
import { importPackage } from "../tools/package/built-package.ts";
import { describeHttpSuite } from "./suite.ts";

const records = makeRecords(100);
const newestFirst = records.toReversed();
const script = await bundleWorker("test/http-suite/read-only-worker.ts");

describe.each(STORE_NAMES)("in workerd, with %s and bindings that only read,", async (store) => {
  const worker = await startWorker({ vars: { STORE: store }, script });
  afterAll(() => worker.close());
  await loadInto(worker.env, store, records);
  describeHttpSuite({ ...worker, records: newestFirst, hasFiles: true });
});

describe("in workerd, with the sample data and bindings that only read,", async () => {
  const worker = await startWorker({ vars: { STORE: "seed" }, migrate: false, script });
  afterAll(() => worker.close());
  const sampleData = (await readSampleData()).toReversed();
  describeHttpSuite({ ...worker, records: sampleData, hasFiles: true });

  test("links keep bytes that are not UTF-8", async () =>
    expect(await (await worker.fetch(`${PATH}?x=%FF`)).text()).toContain("&page=2&x=%FF"));

  test("the home page offers /seed.csv.gz, which has all records, newest first", async () => {
    const { sample_data_url } = Object(await (await worker.fetch("/")).json());
    expect(sample_data_url).toBe(`${worker.origin}/seed.csv.gz`);
    const response = await worker.fetch("/seed.csv.gz");
    expect(response.headers.get("Content-Type")).toBe("application/gzip");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const bytes = Buffer.from(await response.arrayBuffer());
    const lines = sampleData.map(formatCsvLine);
    expect(gunzipSync(bytes).toString() === CSV_HEADER + lines.join("")).toBe(true);
    expect(bytes.length).toBeLessThan(400_000);
  });
});

describe("the package", async () => {
  const { createService } = await importPackage();
  const service = createService({ records });
  const server = await service.listen({ port: 0 });
  afterAll(() => server.close());

  test("links replace bytes that are not UTF-8", async () =>
    expect(await (await fetch(`${server.url}${PATH}?x=%FF`)).text()).toContain("&page=2&x=%EF%BF%BD"));

  describe("over a port,", () => {
    describeHttpSuite({
      records: newestFirst,
      origin: server.url,
      hasFiles: true,
      fetch: (target, init) => fetchDocumented(server.url + target, init),
    });
  });

  describe("over service.fetch,", () => {
    describeHttpSuite({
      records: newestFirst,
      origin: server.url,
      hasFiles: true,
      fetch: (target, init) => service.fetch(server.url + target, { redirect: "manual", ...init }),
    });
  });
});
