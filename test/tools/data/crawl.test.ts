import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Page, TrafficRecord } from "../../../src/records/record.ts";
import { crawl, parseCollectionUrl } from "../../../tools/data/crawl/crawl.ts";
import { createPageClient } from "../../../tools/data/crawl/page-client.ts";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";
import { loadInto, useWorker } from "../../worker.ts";
import { type FakeService, PATH, startFakeService } from "./fake-service.ts";
import { createLocalStore } from "./local-store.ts";

const RECORDS = makeRecords(200);
/** The newest ones are added during a crawl. */
const [OLD, ADDED] = [RECORDS.slice(0, 100), RECORDS.slice(100)];

let service: FakeService;
let out: string;
beforeEach(async () => {
  service = await startFakeService(OLD);
  out = join(createFolder(), "pages.jsonl");
  for (const name of ["log", "error"] as const) vi.spyOn(console, name).mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

/** Crawls the service without waits, and returns the error message. */
async function run(options: { restart?: boolean } = {}): Promise<string | undefined> {
  return crawl(parseCollectionUrl(service.origin), { out, ...options }, createPageClient(1)).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const readPages = (): Page[] =>
  readFileSync(out, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The records of the file, oldest first. */
const readCopied = (): TrafficRecord[] =>
  readPages()
    .flatMap(({ results }) => results)
    .reverse();

test("copies all pages, one a line", async () => {
  expect(await run()).toBeUndefined();
  expect(readCopied()).toEqual(OLD);
  expect(readPages()).toHaveLength(7);
  expect(service.requests[0]!.url).toBe(PATH);
  expect(service.requests[1]!.url).toBe(`${PATH}?format=api&page=2`);
  expect(existsSync(`${out}.lock`)).toBe(false);
});

test("an empty collection is one page", async () => {
  service.records = [];
  expect(await run()).toBeUndefined();
  expect(readPages()).toMatchObject([{ count: 0, results: [] }]);
});

describe("while the service grows", () => {
  test.each([1, 14, 15, 16, 44, 100])(
    "%i records that are added are not copied, and no record twice",
    async (added) => {
      service.onRequest = ({ page }) => {
        if (page === 3) service.records = [...OLD, ...ADDED.slice(0, added)];
        return undefined;
      };
      expect(await run()).toBeUndefined();
      expect(readCopied()).toEqual(OLD);
    },
  );

  test("records that are added before every page", async () => {
    service.onRequest = () => {
      service.records = RECORDS.slice(0, service.records.length + 4);
      return undefined;
    };
    expect(await run()).toBeUndefined();
    expect(readCopied()).toEqual(RECORDS.slice(0, 104));
  });

  test.each<[string, () => TrafficRecord[], string]>([
    ["fewer records", () => OLD.slice(1), "The collection has 99 records, but had 100 before"],
    ["two pages less", () => OLD.slice(30), "The collection has 70 records, but had 100 before"],
    [
      "other records",
      () => [...OLD, ADDED[0]!].map((record) => ({ ...record, cars: 77 })),
      "A page does not repeat the records that were copied before",
    ],
  ])("stops if there are %s", async (_, replaced, message) => {
    service.onRequest = ({ page }) => {
      if (page === 4) service.records = replaced();
      return undefined;
    };
    expect(await run()).toMatch(new RegExp(`^${message}: .* Use --restart to start over\\.$`));
    expect(readPages()).toHaveLength(3);
  });
});

describe("an unfinished crawl", () => {
  const isDown = { status: 404, body: '{"detail":"Invalid page."}' };
  const interrupt = async (atPage: number) => {
    service.onRequest = ({ page }) => (page === atPage ? isDown : undefined);
    expect(await run()).toMatch(/page=\d returned 404/);
    service.onRequest = () => undefined;
    service.requests.length = 0;
  };

  test.each([2, 5, 7])(
    "is resumed at page %i, although a line was cut and records were added",
    async (page) => {
      await interrupt(page);
      appendFileSync(out, readFileSync(out, "utf8").slice(0, 50));
      service.records = RECORDS.slice(0, 133);
      expect(await run()).toBeUndefined();
      expect(readCopied()).toEqual(OLD);
      expect(service.requests[0]!.page).toBe(page);
      expect(service.requests).toHaveLength(8 - page + 1);
    },
  );

  test("is replaced with --restart", async () => {
    await interrupt(3);
    expect(await run({ restart: true })).toBeUndefined();
    expect(readCopied()).toEqual(OLD);
  });

  test.each([
    [
      "a finished copy",
      '{"count":0,"next":null,"results":[]}\n',
      "is a complete copy. Use --restart to replace it.",
    ],
    ["something else", "id,camera_pk\n", "already exists and is not an unfinished crawl."],
  ])("is not taken for %s, which stays", async (_, content, message) => {
    writeFileSync(out, content);
    expect(await run()).toContain(message);
    expect(readFileSync(out, "utf8")).toBe(content);
  });

  test("is not resumed while another crawl writes to it", async () => {
    let second: string | undefined;
    service.onRequest = async ({ page }) => {
      if (page === 2) second ??= (await run()) ?? "no error";
      return undefined;
    };
    expect(await run()).toBeUndefined();
    expect(second).toContain(`Process ${process.pid} is writing to ${out}.`);
    expect(readCopied()).toEqual(OLD);
  });
});

describe("requests", () => {
  test.each([
    ["503", { status: 503 }],
    ["429 with Retry-After", { status: 429, headers: { "Retry-After": "0" } }],
    ["a cut response", "cut" as const],
    ["a response that is not JSON", { status: 200, body: "<html>" }],
  ])("are repeated after %s", async (_, fault) => {
    service.onRequest = ({ page, attempt }) => (page === 3 && attempt < 4 ? fault : undefined);
    expect(await run()).toBeUndefined();
    expect(readCopied()).toEqual(OLD);
    expect(vi.mocked(console.error).mock.calls.flat().join("\n")).toMatch(/page=3 .+; trying again\./);
  });

  test.each<
    [string, Parameters<FakeService["onRequest"]>[0]["page"], { status: number; body?: string }, RegExp]
  >([
    ["an error that stays", 2, { status: 500, body: "" }, /page=2 returned 500$/],
    [
      "a detail",
      2,
      { status: 404, body: '{"detail":"It was replaced."}' },
      /returned 404: It was replaced\.$/,
    ],
    ["a web page", 1, { status: 200, body: "<html>" }, /records\/ is not a page of records$/],
    ["other JSON", 1, { status: 200, body: "{}" }, /is not a page of records$/],
    [
      "a link in a circle",
      1,
      { status: 200, body: '{"count":99,"next":"http://x/?page=1","results":[]}' },
      /has a link to page 1 as the next one after page 1$/,
    ],
  ])("end with the URL and the reason: %s", async (_, page, fault, message) => {
    const headers = { "Content-Type": "application/json" };
    service.onRequest = (request) => (request.page === page ? { headers, ...fault } : undefined);
    expect(await run()).toMatch(message);
  });

  test("end at once if there is no service", async () => {
    await service.close();
    expect(await run()).toContain(`${service.origin}${PATH} could not be read`);
  });
});

test.each([
  ["http://a.example", "http://a.example/api/tf1/records/"],
  ["http://a.example/below/", "http://a.example/below/api/tf1/records/"],
  ["http://a.example/api/tf1/records/?page=3", "http://a.example/api/tf1/records/?page=3"],
])("the collection of %s is %s", (given, url) => {
  expect(parseCollectionUrl(given).href).toBe(url);
});

test.each(["counts", "ftp://a.example"])("the URL %s is refused", async (url) => {
  const { status, stderr } = await runData(["crawl", url]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("must be a URL that begins with http://")]);
});

const worker = useWorker();

test("a worker is copied to standard output, and the pages can be loaded", async () => {
  await loadInto(worker.env, "d1", RECORDS);
  const { status, stdout } = await runData(["crawl", worker.origin, "--out", "-"]);
  expect(status).toBe(0);
  writeFileSync(out, stdout);
  const local = createLocalStore();
  expect(await local.run("load", "--strict", out)).toMatchObject({ status: 0, stderr: "" });
  const exported = await local.run("export", "--format", "jsonl");
  expect(exported.stdout).toBe(RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(""));
});

test("a compressed file is refused, because a crawl could not go on in it", async () => {
  const { status, stderr } = await runData(["crawl", "http://localhost:1", "--out", "pages.jsonl.gz"]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("A crawl is not compressed")]);
});
