import { PATH } from "../support/exchange.ts";
import { openPage, SITE_PAGES } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

test("the page field opens any page that exists", async ({ visit }) => {
  const page = await visit(PATH);
  const box = page.getByLabel("Page", { exact: true });
  for (const text of ["0", "1.5", "2709"]) {
    await box.fill(text);
    await box.press("Enter");
    expect(await box.evaluate((input: HTMLInputElement) => input.matches(":invalid")), text).toBe(true);
  }
  expect(new URL(page.url()).search, "the page is still open").toBe("");
  await box.fill("2708");
  await follow(page, () => box.press("Enter"));
  expect(await page.locator(".lead").textContent()).toContain("page 2,708 of 2,708");
});

test("the date field opens the records of a day, and keeps it and the parameters", async ({ visit }) => {
  const page = await visit(`${PATH}?x=1`);
  const field = page.getByLabel("Date (UTC)");
  await field.fill("2025-10-30");
  await follow(page, () => field.press("Enter"));
  expect(await page.locator(":target time").textContent()).toMatch(/^2025-10-30/);
  expect(new URL(page.url()).searchParams.get("x")).toBe("1");
  // Even if the page begins with records of the next day.
  expect(await field.inputValue()).toBe("2025-10-30");
});

/** The elements that a keyboard must reach: links, fields, buttons, and elements that scroll. */
const REACHABLE = "a[href], button, input:not([type=hidden]), summary, [tabindex='0']";

test.for(SITE_PAGES)("$name: Tab reaches every element in order, visibly", async (sitePage, { visit }) => {
  const page = await openPage(visit, sitePage);
  const count = await page.locator(REACHABLE).filter({ visible: true }).count();
  expect(count).toBeGreaterThan(5);
  const focused = new Map<number, string>();
  // A date field has several parts.
  for (let presses = 0; presses < count + 5 && focused.size < count; presses++) {
    await page.keyboard.press("Tab");
    const { index, outline } = await page.evaluate((selector) => {
      const elements = [...document.querySelectorAll(selector)].filter((element) =>
        element.checkVisibility(),
      );
      const focused = document.activeElement!;
      return { index: elements.indexOf(focused), outline: getComputedStyle(focused).outlineStyle };
    }, REACHABLE);
    if (!focused.has(index)) focused.set(index, outline);
  }
  expect([...focused]).toEqual(Array.from({ length: count }, (_, index) => [index, "solid"]));
});

test("the browser keeps the style sheet, the script and the icon of all pages", async ({ visit }) => {
  const page = await visit("/");
  for (const count of [0, 3]) {
    const entries: object[] = await page.evaluate(() => performance.getEntriesByType("resource"));
    const kept = entries.filter((entry) => "transferSize" in entry && entry.transferSize === 0);
    expect(kept).toHaveLength(count);
    await page.goto(PATH);
  }
});

test("the first link skips to the content", async ({ visit }) => {
  const page = await visit("/");
  await page.keyboard.press("Tab");
  expect(await page.getByText("Skip to content").boundingBox()).toMatchObject({ x: 0 });
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  expect(focused).toBe("Download the sample data as CSV.");
});
