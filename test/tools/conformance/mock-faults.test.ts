import { expect, test } from "vitest";
import { changePage, type DataFaults } from "../../../src/mock/data-faults.ts";
import { createRandom } from "../../../src/mock/decision.ts";
import { NEXT_FAULTS, RECORD_FAULTS, ROW_FAULTS } from "../../../src/mock/option-docs.ts";
import { changeHeaders, changeReply, RECORDS } from "./broken-service.ts";
import { service, setUpService } from "./fake-service.ts";
import { checkQuickly, evidenceOf, rulesOf } from "./quick-check.ts";

setUpService(RECORDS);

/** Adds a fault of the mock to page 2, as the option `on=2` does. */
function applyToPage(faults: DataFaults): void {
  const random = createRandom(4, "page 2");
  service.reply = async (reply, { method, page }) => {
    if (method !== "GET" || page !== "2") return reply;
    const { body, applied } = await changePage(String(reply.body), faults, random);
    expect(applied).toHaveLength(1);
    return { ...reply, body };
  };
}

const COUNT = /^Record\.(cars|persons|bicycles|trucks|motorcycles|buses)$/;

const EXPECTED: Record<string, RegExp> = {
  "rows=repeat": /^Record\.id$/,
  "rows=drop": /^List records 1$/,
  "rows=swap": /^List records 2$/,
  "count=1": /^List records 5$/,
  "next=loop": /^Page envelope 1$/,
  "next=skip": /^Page envelope 1$/,
  "next=null": /^Page envelope\.next$/,
  "next=http": /^Page envelope\.next$/,
  "record=float": COUNT,
  "record=null": COUNT,
  "record=missing": /^Record 1$/,
  "record=offset": /^Record\.timestamp$/,
};

const CATALOGUE: [name: string, value: string][] = [
  ...ROW_FAULTS.map((value): [string, string] => ["rows", value]),
  ...NEXT_FAULTS.map((value): [string, string] => ["next", value]),
  ...RECORD_FAULTS.filter((value) => value !== "extra").map((value): [string, string] => ["record", value]),
];

test.each([...CATALOGUE, ["count", "1"]])(
  "the check names the rule that %s=%s breaks",
  async (name, value) => {
    applyToPage({ [name]: name === "count" ? Number(value) : value });
    const failed = rulesOf(await checkQuickly(service.origin), "fail");
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(EXPECTED[`${name}=${value}`] ?? /^$/);
  },
);

test("record=extra breaks no rule, and is reported", async () => {
  applyToPage({ record: "extra" });
  const report = await checkQuickly(service.origin);
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(evidenceOf(report, "Record.others")).toEqual(['records also have "vans"']);
});

test("the check names the rule that type=text/html breaks", async () => {
  changeHeaders({ "Content-Type": "text/html" }, ({ method, page }) => method === "GET" && page === "2");
  expect(rulesOf(await checkQuickly(service.origin), "fail")).toEqual(["List records.Content-Type"]);
});

test("the check names the rule that cut breaks", async () => {
  changeReply("2", ({ body, headers }) => ({
    body: String(body).slice(0, 900),
    headers: { ...headers, Connection: "close" },
  }));
  expect(rulesOf(await checkQuickly(service.origin), "fail")).toEqual(["List records.body"]);
});
