import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeCollection, type Service, startService } from "./fake-service.ts";
import { checkQuickly, rulesOf } from "./quick-check.ts";

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

describe("a collection", () => {
  test.each([0, 1, 15, 16])("of %i records breaks nothing", async (count) => {
    service.records = makeCollection(count);
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(report).toMatchObject({ records: count, count, stopped: undefined });
  });

  test("without records shows no rule about records", async () => {
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
