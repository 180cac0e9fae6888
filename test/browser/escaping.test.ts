import type { Page } from "@playwright/test";
import { inject } from "vitest";
import { MARKUP } from "./pages.ts";
import { expect, test } from "./visit.ts";

const PATH = "/api/tf1/records/";

/** Opens a page, and checks that no string became an element or an attribute. A dialog would make the visit fail. */
async function expectNothingInjected(page: Page, path: string): Promise<void> {
  await page.goto(path);
  expect(await page.locator(".injected, [onerror], [onload], script:not([src])").count()).toBe(0);
  expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
}

/** All markup in one string. Each part would escape from a different place in a page. */
const text = encodeURIComponent(MARKUP.join(" "));

test.for([
  `${PATH}?x=${text}&page=2`,
  `${PATH}?${text}=1&page=last`,
  `${PATH}?page=${text}`,
  `${PATH}?page=0&x=${text}&${text}=x`,
  `${PATH}?format=${text}`,
  `/${text}`,
  `/api/tf1/records/${text}/?${text}`,
  `/?${text}=${text}`,
])("text of a request never becomes markup: %#", async (path, { visit }) =>
  expectNothingInjected(await visit(), path),
);

test.for([PATH, `${PATH}?format=json`, "/"])(
  "text of a record never becomes markup on %s",
  async (path, { visit }) => {
    const page = await visit({ origin: inject("collections").extreme });
    await expectNothingInjected(page, path);
    const shown = (await page.locator("body").textContent()) ?? "";
    for (const text of path === "/" ? [] : MARKUP) expect(shown).toContain(JSON.stringify(text));
  },
);
