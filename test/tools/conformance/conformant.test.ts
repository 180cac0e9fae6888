import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { type ConformanceReport, RULES } from "../../../tools/conformance/check.ts";
import { makeRecords } from "../../records/sample.ts";
import { makeCollection, makeEnvelope, PATH, service, setUpService } from "./fake-service.ts";
import { checkQuickly, evidenceOf, rulesOf } from "./quick-check.ts";

const RECORDS = makeCollection(40);

/** A time in the middle of the records, which are all from one day. */
const SWITCH = "2019-05-17T02:30:00Z";
const NOTHING = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };

setUpService(RECORDS);

/** Returns how many responses or records kept a rule. */
const keptOf = ({ rules }: ConformanceReport, reference: string) =>
  rules.find(({ rule }) => rule === reference)?.kept;

/** The rules that the specification does not show. */
const NOT_SHOWN = RULES.filter(({ notShown }) => notShown).map(({ reference }) => reference);

test("a service that conforms to the specification passes every rule", async () => {
  const report = await checkQuickly(service.origin);
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(rulesOf(report, "not seen")).toEqual([]);
  expect(rulesOf(report, "not shown")).toEqual(NOT_SHOWN);
  expect(report).toMatchObject({ pages: 3, records: 40, count: 40, growths: 0, stopped: undefined });
});

test("every page is requested by its number and with format=api", async () => {
  await checkQuickly(service.origin);
  const targets = service.requests.slice(0, 3).map(({ target }) => target);
  expect(targets).toEqual([1, 2, 3].map((page) => `${PATH}?format=api&page=${page}`));
});

describe("the specification allows", () => {
  test.each<[string, () => void, string, string]>([
    [
      "additional fields of a record",
      () => {
        service.records = RECORDS.map((record) => ({ ...record, color: "red" }));
      },
      "Record.others",
      'records also have "color"',
    ],
    [
      "ids and camera_pks too large for JavaScript",
      () => {
        service.reply = (reply) => ({
          ...reply,
          body: String(reply.body).replace(/"(id|camera_pk)":(\d+)/g, '"$1":900719925474099$2'),
        });
      },
      "Record 4",
      "page=1 record",
    ],
    [
      "additional fields of an envelope",
      () => {
        service.envelope = (envelope) => ({ ...envelope, pages: 3 });
      },
      "Page envelope.others",
      'pages also have "pages"',
    ],
    [
      "links to pages that do not exist, before the first page and after the last page",
      () => {
        service.envelope = (envelope, number) => ({
          ...envelope,
          next: `${service.origin}${PATH}?format=api&page=${number + 1}`,
          previous: `${service.origin}${PATH}?format=api&page=${number - 1}`,
        });
      },
      "Page envelope 3",
      "the page after the last one returned 404",
    ],
    [
      "a camera_ok that becomes known at a time within a day",
      () => {
        const known = ({ timestamp }: TrafficRecord) => timestamp >= SWITCH;
        service.records = makeRecords(40)
          .reverse()
          .map((record) => ({ ...record, ...NOTHING, camera_ok: known(record) ? "False" : null }));
      },
      "List records 4",
      "page=2 record",
    ],
    [
      "a camera_ok of null after known values with the same timestamp",
      () => {
        service.records = makeRecords(50).reverse();
      },
      "List records 4",
      "page=2 record",
    ],
    [
      "a camera_ok of null before known values with the same timestamp",
      () => {
        const records = makeCollection(40).map((record) => ({ ...record, camera_ok: "True" as const }));
        const { timestamp } = records[30]!;
        service.records = records.map((record) =>
          record.timestamp < timestamp || record === records.find((one) => one.timestamp === timestamp)
            ? { ...record, camera_ok: null }
            : record,
        );
      },
      "List records 4",
      "page=",
    ],
    [
      "a repeated method in Allow",
      () => {
        service.reply = (reply) => ({ ...reply, headers: { ...reply.headers, Allow: "GET, OPTIONS, GET" } });
      },
      "Versioning 2",
      "",
    ],
    [
      "a version in a header",
      () => {
        service.reply = (reply) => ({ ...reply, headers: { ...reply.headers, Sunset: "soon" } });
      },
      "Versioning 2",
      'Sunset is "soon"',
    ],
  ])("%s", async (_, apply, rule, evidence) => {
    apply();
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(evidenceOf(report, rule).join("\n")).toContain(evidence);
  });
});

describe("a header counts as correct", () => {
  test("if its values are in another order or case", async () => {
    const headers = { Allow: "OPTIONS,get", Vary: "accept", "Content-Type": "Application/JSON" };
    service.reply = (reply) => ({ ...reply, headers });
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    // Besides the four pages, Allow is checked in two responses to OPTIONS, in the response for page 0, and in eight
    // responses to the methods that write (four methods, each with two bodies).
    expect(keptOf(report, "List records.Allow")).toBe(4 + 10);
    expect(keptOf(report, "List records.Vary")).toBe(4);
    expect(keptOf(report, "List records.Content-Type")).toBe(4);
  });

  test("if only pages and OPTIONS have Allow, because the specification shows it only there", async () => {
    service.reply = ({ headers: { Allow, ...headers }, ...reply }, { method, page }) =>
      method === "OPTIONS" || (method === "GET" && page !== "0")
        ? { ...reply, headers: { ...headers, Allow: Allow! } }
        : { ...reply, headers };
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(keptOf(report, "List records.Allow")).toBe(4 + 1);
  });
});

test.each([
  ["increase", (index: number) => index],
  ["decrease", (index: number) => 1_000 - index],
])("ids that only %s within a timestamp do not show whether ids may be out of order", async (_, makeId) => {
  service.records = RECORDS.map((record, index) => ({ ...record, id: makeId(index) }));
  const report = await checkQuickly(service.origin);
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(rulesOf(report, "not seen")).toEqual(["List records 3"]);
});

describe("the walk ends, although next is never null,", () => {
  const page = (number: number) => makeEnvelope(service, number, 1_000_000);
  const endless = (results: (number: number) => unknown) => {
    service.reply = (reply, { method, page: text }) => {
      const number = Number(text ?? 1);
      if (method !== "GET" || number < 1) return reply;
      const body = JSON.stringify({ ...page(number), results: results(number) });
      return { ...reply, status: 200, body };
    };
  };
  const slice = (number: number) => RECORDS.slice(15 * (number - 1), 15 * number);

  test.each<[string, (number: number) => unknown]>([
    ["if empty pages follow", slice],
    ["if the last page is repeated", (number) => slice(Math.min(number, 3))],
    ["if the first page follows", (number) => slice(number > 3 ? 1 : number)],
  ])("%s, and no rule is broken", async (_, results) => {
    endless(results);
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(report.pages).toBe(3);
    expect(evidenceOf(report, "Page envelope 3")).toContain(
      "the page after the last one returned 200 without new records",
    );
  });

  test("if more records follow than count says, and a rule is broken", async () => {
    endless((number) =>
      Array.from({ length: 15 }, (_, index) => ({
        ...RECORDS[39]!,
        id: 1_000 * number + index,
        camera_pk: 1e6 * number + index,
      })),
    );
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual(["Page envelope.count"]);
    expect(report.pages).toBe(23);
  });
});

describe("a collection", () => {
  test.each([0, 1, 15, 16])("of %i records breaks no rule", async (count) => {
    service.records = makeCollection(count);
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(report).toMatchObject({ records: count, count, stopped: undefined });
  });

  test("without records leaves the rules about records unseen", async () => {
    service.records = [];
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "not seen")).toEqual(
      expect.arrayContaining([
        "Record.id",
        "Record 3",
        "List records 2",
        "List records 5",
        "Page envelope 1",
      ]),
    );
  });
});
