import type { Page } from "playwright-core";
import { findOrigin, openPage, PAGES } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

/** The elements that a keyboard must reach: links, fields, buttons, and elements that scroll. */
const REACHABLE = "a[href], button:not([tabindex='-1']), input:not([type=hidden]), summary, [tabindex='0']";

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

test.for(PAGES)(
  "$name: Tab reaches every element in order, and the focus is visible",
  async (sitePage, { visit }) => {
    const page = await visit({ origin: findOrigin(sitePage) });
    await openPage(page, sitePage);
    const count = await page.locator(REACHABLE).filter({ visible: true }).count();
    expect(count).toBeGreaterThan(5);
    await recordFocus(page);
    for (let index = 0; index < count; index++) await page.keyboard.press("Tab");
    expect(await page.evaluate(() => window.focused)).toEqual(
      Array.from({ length: count }, (_, index) => ({ index, visible: true })),
    );
  },
);

test("a person can go from the landing page to any page with only the keyboard", async ({ visit }) => {
  const page = await visit();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  const tabTo = async (text: string) => {
    for (let tabs = 0; tabs < 20 && (await focused()) !== text; tabs++) await page.keyboard.press("Tab");
    expect(await focused()).toBe(text);
  };

  await page.goto("/");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Skip to content");
  expect(await page.getByText("Skip to content").boundingBox()).toMatchObject({ x: 16 });
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(
    await page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
    "the first thing in the content",
  ).toBe("Address of the collection");

  await tabTo("Look at the records");
  await follow(page, () => page.keyboard.press("Enter"));
  await tabTo("Next ›");
  await follow(page, () => page.keyboard.press("Enter"));
  expect(new URL(page.url()).searchParams.get("page")).toBe("2");

  await tabTo("Oldest »");
  await page.keyboard.press("Tab");
  await page.keyboard.type("2700");
  await follow(page, () => page.keyboard.press("Enter"));
  expect(new URL(page.url()).searchParams.get("page")).toBe("2700");
});
