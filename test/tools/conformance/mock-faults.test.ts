import { expect, test } from "vitest";
import { MOCK_OPTIONS } from "../../../src/mock/options.ts";
import { changePage, type PageFaults } from "../../../src/mock/page-faults.ts";
import { createRandom } from "../../../src/mock/request-key.ts";
import { changeReply, RECORDS } from "./broken-service.ts";
import { service, setUpService } from "./fake-service.ts";
import { checkQuickly, evidenceOf, rulesOf } from "./quick-check.ts";

setUpService(RECORDS);

/** Adds a fault of the mock to page 2, as the option `on=2` does. */
function applyToPage(faults: PageFaults): void {
  const random = createRandom(4, "page 2");
  service.reply = async (reply, { method, page }) => {
    if (method !== "GET" || page !== "2") return reply;
    const { envelope, applied } = await changePage(String(reply.body), faults, random);
    expect(applied).toHaveLength(1);
    return { ...reply, body: envelope };
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
  "record=float": COUNT,
  "record=null": COUNT,
  "record=missing": /^Record 1$/,
  "record=offset": /^Record\.timestamp$/,
};

const CATALOGUE = (["rows", "next", "record"] as const).flatMap((name) =>
  MOCK_OPTIONS[name].value.split(/, | or /).map((value): [string, string] => [name, value]),
);

test.each([...CATALOGUE.filter(([, value]) => value !== "extra"), ["count", "1"]])(
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

test("the check names the rule that body=cut breaks", async () => {
  changeReply("2", ({ body, headers }) => ({
    body: String(body).slice(0, 900),
    headers: { ...headers, Connection: "close" },
  }));
  expect(rulesOf(await checkQuickly(service.origin), "fail")).toEqual(["List records.body"]);
});
