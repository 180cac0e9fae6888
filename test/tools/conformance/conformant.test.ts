import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { makeRecords } from "../../records/sample.ts";
import { evidenceOf, examineQuickly, rulesOf } from "./examination.ts";
import { makeCollection, makeEnvelope, PATH, type Service, startService } from "./service.ts";

const RECORDS = makeCollection(40);

/** In the middle of the records of one day. */
const SWITCH = "2019-05-17T02:30:00Z";
const NOTHING = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

/** All rules that say anything, for a collection that has everything. */
const SILENT = [
  "Record.others",
  "Page envelope.others",
  "Page envelope 3",
  "Resources.others",
  "States 2",
  "Options.body",
  "Endpoints.others",
  "Authentication",
  "Events",
  "Errors",
  "Limits.others",
  "Versioning 2",
];

test("a service that keeps to the specification passes every rule", async () => {
  const examination = await examineQuickly(service.origin);
  expect(rulesOf(examination, "fail")).toEqual([]);
  expect(rulesOf(examination, "not seen")).toEqual([]);
  expect(rulesOf(examination, "not shown")).toEqual(SILENT);
  expect(examination).toMatchObject({ pages: 3, records: 40, count: 40, growths: 0, stopped: undefined });
});

test("every page is asked for by its number and with format=api", async () => {
  await examineQuickly(service.origin);
  const targets = service.asked.slice(0, 3).map(({ target }) => target);
  expect(targets).toEqual([1, 2, 3].map((page) => `${PATH}?format=api&page=${page}`));
});

describe("not against the specification are", () => {
  test.each<[string, () => void, string, string]>([
    [
      "headers in another order and case",
      () => {
        const headers = { Allow: "OPTIONS,get", Vary: "accept", "Content-Type": "Application/JSON" };
        service.reply = (reply) => ({ ...reply, headers });
      },
      "Versioning 2",
      "",
    ],
    [
      "answers without Allow to anything but GET of a page",
      () => {
        service.reply = ({ headers: { Allow, ...headers }, ...reply }, { method, page }) =>
          method === "GET" && page !== "0"
            ? { ...reply, headers: { ...headers, Allow: Allow! } }
            : { ...reply, headers };
      },
      "Versioning 2",
      "",
    ],
    [
      "more fields of a record",
      () => {
        service.records = RECORDS.map((record) => ({ ...record, color: "red" }));
      },
      "Record.others",
      'records carry "color" too',
    ],
    [
      "ids and numbers of cameras too large to be held exactly",
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
      "more fields of an envelope",
      () => {
        service.envelope = (envelope) => ({ ...envelope, pages: 3 });
      },
      "Page envelope.others",
      'pages carry "pages" too',
    ],
    [
      "links at both ends, to pages that do not exist",
      () => {
        service.envelope = (envelope, number) => ({
          ...envelope,
          next: `${service.origin}${PATH}?format=api&page=${number + 1}`,
          previous: `${service.origin}${PATH}?format=api&page=${number - 1}`,
        });
      },
      "Page envelope 3",
      "the page after the last one: 404",
    ],
    [
      "a camera_ok that is known from one moment of a day on",
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
      "a camera_ok that is null behind those known of the same moment",
      () => {
        service.records = makeRecords(50).reverse();
      },
      "List records 4",
      "page=2 record",
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
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(evidenceOf(examination, rule).join("\n")).toContain(evidence);
  });
});

describe("a next that is never null comes to an end,", () => {
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
    ["if the last page follows again and again", (number) => slice(Math.min(number, 3))],
    ["if the first page follows", (number) => slice(number > 3 ? 1 : number)],
  ])("%s, and is right", async (_, results) => {
    endless(results);
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(examination.pages).toBe(3);
    expect(evidenceOf(examination, "Page envelope 3")).toContain(
      "the page after the last one: 200, no other records",
    );
  });

  test("if records follow that the count does not count, which is wrong", async () => {
    endless((number) =>
      Array.from({ length: 15 }, (_, index) => ({
        ...RECORDS[39]!,
        id: 1_000 * number + index,
        camera_pk: 1e6 * number + index,
      })),
    );
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual(["Page envelope.count"]);
    expect(examination.pages).toBe(23);
  });
});
