import type { Page } from "@playwright/test";
import { openPage, originOf, SITE_PAGES } from "./pages.ts";
import { expect, test } from "./visit.ts";

/** The elements that a keyboard must reach: links, fields, buttons, and elements that scroll. */
const REACHABLE =
  "a[href]:not([tabindex='-1']), button:not([tabindex='-1']), input:not([type=hidden]), summary, [tabindex='0']";

declare global {
  interface Window {
    /** The elements that have received the focus so far: their positions, and whether the focus was visible. */
    focused: { index: number; visible: boolean }[];
  }
}

/** Begins to record which elements receive the focus. */
function recordFocus(page: Page): Promise<void> {
  return page.evaluate((selector) => {
    window.focused = [];
    addEventListener("focusin", ({ target }) => {
      const all = [...document.querySelectorAll<HTMLElement>(selector)].filter((one) =>
        one.checkVisibility(),
      );
      window.focused.push({
        index: all.indexOf(target as HTMLElement),
        visible: target instanceof Element && getComputedStyle(target).outlineStyle !== "none",
      });
    });
  }, REACHABLE);
}

// After a jump, Tab begins at the row to which it led.
test.for(SITE_PAGES.filter(({ name }) => name !== "records-jump"))(
  "$name: Tab reaches every element in order, and the focus is visible",
  async (sitePage, { visit }) => {
    const page = await visit({ origin: originOf(sitePage) });
    await openPage(page, sitePage);
    const count = await page.locator(REACHABLE).filter({ visible: true }).count();
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThanOrEqual(35);
    await recordFocus(page);
    const readFocused = () => page.evaluate(() => window.focused);
    // A date field has several parts.
    for (let presses = 0; presses < count + 5 && (await readFocused()).length < count; presses++)
      await page.keyboard.press("Tab");
    expect(await readFocused()).toEqual(
      Array.from({ length: count }, (_, index) => ({ index, visible: true })),
    );
  },
);

test("the first link leads to the content", async ({ visit }) => {
  const page = await visit();
  await page.goto("/");
  await page.keyboard.press("Tab");
  expect(await page.getByText("Skip to content").boundingBox()).toMatchObject({ x: 0 });
  await page.keyboard.press("Enter");
  expect(await page.locator("main").evaluate((one) => getComputedStyle(one).outlineStyle)).toBe("none");
  await page.keyboard.press("Tab");
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  expect(focused, "the first thing in the content").toBe("Copy: address of the collection");
});
