import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { examineQuickly, rulesOf } from "./examination.ts";
import { makeCollection, type Service, startService } from "./service.ts";

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

describe("a collection", () => {
  test.each([0, 1, 15, 16])("of %i records breaks nothing", async (count) => {
    service.records = makeCollection(count);
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(examination).toMatchObject({ records: count, count, stopped: undefined });
  });

  test("without records shows no rule of a record", async () => {
    service.records = [];
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "not seen")).toEqual(
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
