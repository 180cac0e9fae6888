import { describe, expect, test } from "vitest";
import { RECORDS } from "./broken-service.ts";
import { service, setUpService } from "./fake-service.ts";
import { CONTENT, type Defect, HTTP } from "./planted-defects.ts";
import { checkQuickly, QUICK, rulesOf } from "./quick-check.ts";

setUpService(RECORDS);

/** Makes only two attempts, and soon stops waiting for a response that never ends. */
const retryPolicy = { ...QUICK, attempts: 2, timeout: 2_000 };

async function expectRule([, rules, apply]: Defect): Promise<void> {
  apply();
  const failed = rulesOf(await checkQuickly(service.origin, { retryPolicy }), "fail");
  expect(failed).toHaveLength(1);
  expect(rules).toContain(failed[0]);
}

describe("the check reports exactly one rule, the expected one, for the defect:", () => {
  test.each(CONTENT)("%s -> %s", (...defect) => expectRule(defect));
  test.each(HTTP)("%s -> %s", (...defect) => expectRule(defect));

  test("there are more than 200 defects", () => expect(CONTENT.length + HTTP.length).toBeGreaterThan(200));
});
