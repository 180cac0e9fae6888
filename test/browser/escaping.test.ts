import type { Page } from "@playwright/test";
import { beforeAll, describe, inject } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";
import { expect, test } from "./visit.ts";

const MARKUP = [
  `"><img class=injected src=x onerror=alert(1)>`,
  `'><svg class=injected onload=alert(1)>`,
  `</code></pre><script class=injected>alert(1)</script>`,
  `</title><b class=injected>`,
  `javascript:alert(1)//<a class=injected href=javascript:alert(1)>`,
  `&lt;i class=injected&gt; &quot; \\u003ci`,
];

const PATH = "/api/tf1/records/";

/** Expects that no text became an element or an attribute. A dialog would make the visit fail. */
async function expectNothingInjected(page: Page): Promise<void> {
  expect(await page.locator(".injected, [onerror], [onload], script:not([src])").count()).toBe(0);
  expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
}

/** All markup in one text. Each part would escape from a different place in a page. */
const ALL = MARKUP.join(" ");

test("text of a request never becomes markup", async ({ visit }) => {
  const page = await visit();
  const text = encodeURIComponent(ALL);
  for (const path of [
    `${PATH}?x=${text}&page=2`,
    `${PATH}?${text}=1&page=last`,
    `${PATH}?page=${text}`,
    `${PATH}?page=0&x=${text}&${text}=x`,
    `${PATH}?format=${text}`,
    `/${text}`,
    `/api/tf1/records/${text}/?${text}`,
    `/?${text}=${text}`,
  ]) {
    await page.goto(path);
    await expectNothingInjected(page);
  }
});

describe.skipIf(inject("browser") === undefined)("text of a record", () => {
  const records: TrafficRecord[] = MARKUP.map((camera_ref, index) => ({
    ...makeRecords(MARKUP.length)[index]!,
    camera_pk: index + 1,
    camera_ref,
  }));

  const worker = useWorker();
  beforeAll(async () => {
    await loadInto(worker.env, "d1", records);
  });

  test.for([PATH, `${PATH}?format=json`, "/"])("never becomes markup on %s", async (path, { visit }) => {
    const page = await visit({ origin: worker.origin });
    await page.goto(path);
    await expectNothingInjected(page);
    const text = (await page.locator("body").textContent()) ?? "";
    for (const { camera_ref } of path === "/" ? [] : records)
      expect(text).toContain(JSON.stringify(camera_ref));
  });
});
