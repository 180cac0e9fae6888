import { expect, test } from "vitest";
import { formatCheckReport } from "../../../tools/conformance/check-command.ts";
import { createTable } from "../../../tools/conformance/rules.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { checkService, envelope } from "./changed-service.ts";

test("a page of 1,500 records is checked in part, and the report says so", async () => {
  const results = makeRecords(1_500).map(({ id }) => ({ id }));
  const report = await checkService(
    1_500,
    envelope((fields) => ({ ...fields, results })),
  );
  expect(report).toMatchObject({ pages: 1, records: 1_000, uncheckedRecords: 500, stopped: null });
  expect(report.rules).toContainEqual(
    expect.objectContaining({ rule: "Record 1", checked: 2_000, failed: 2_000 }),
  );
  expect(report.failed).toEqual(["List records 1", "Record 1"]);
  expect(formatCheckReport(report)).toContain(
    "\nNot checked: 500 records, those after the first 1000 of a page\n",
  );
});

test("of the deviations from a rule, a table keeps three and counts the others", () => {
  const { results, at } = createTable();
  for (let page = 1; page <= 10; page++) at(`page ${page}`)("Options", false, "404");
  expect(results.get("Options")).toMatchObject({
    checked: 10,
    failed: 10,
    deviations: [{ asked: "page 1" }, { asked: "page 2" }, { asked: "page 3" }],
  });
});
