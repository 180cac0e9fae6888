import axe from "axe-core";
import type { Page } from "playwright-core";
import { eachLook, findOrigin, JSON_PAGE, openPage, PAGES, takeScreenshot } from "./pages.ts";
import { expect, test } from "./visit.ts";

declare global {
  interface Window {
    /** Set by the source of axe when a page evaluates it. */
    axe: typeof axe;
  }
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The violations that axe finds: the rule, and the element that breaks it. */
function findViolations(page: Page): Promise<string[]> {
  return page.evaluate(async (values) => {
    const { violations } = await window.axe.run(document, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"],
      selectors: false,
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, RULES);
}

/** The number of pixels by which the page is wider than its window. */
function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => (document.scrollingElement?.scrollWidth ?? Number.NaN) - innerWidth);
}

/** Expects that the page fits into the window. */
async function expectFit(page: Page, look: string): Promise<void> {
  expect(await measureOverflow(page), look).toBeLessThanOrEqual(0);
}

/** Unfolds everything that is folded. */
function openFolded(page: Page): Promise<void> {
  return page.locator("details").evaluateAll((all) => {
    for (const details of all) details.setAttribute("open", "");
  });
}

async function expectOutline(page: Page): Promise<void> {
  const levels = await page
    .locator("h1, h2, h3, h4, h5, h6")
    .evaluateAll((headings) => headings.map((heading) => Number(heading.tagName[1])));
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  for (const [index, level] of levels.entries())
    expect(level, `heading ${index + 1}`).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
  for (const landmark of ["banner", "main", "contentinfo"] as const)
    expect(await page.getByRole(landmark).count(), landmark).toBe(1);
  expect(await page.getByRole("navigation", { name: "Site" }).count()).toBe(1);
}

test.for(PAGES)(
  "$name: axe finds no violation, and the page fits into every window",
  async (sitePage, { visit }) => {
    const page = await visit({ origin: findOrigin(sitePage) });
    await openPage(page, sitePage);
    await expectOutline(page);
    await page.evaluate(axe.source);
    await eachLook(page, async (look) => {
      // The layout at 768 pixels is the same as at 320 pixels.
      if (!look.startsWith("768")) expect(await findViolations(page), look).toEqual([]);
      await expectFit(page, look);
      await takeScreenshot(page, `${sitePage.name}-${look}`);
    });
    await openFolded(page);
    expect(await findViolations(page), "unfolded").toEqual([]);
    await page.setViewportSize({ width: 320, height: 800 });
    await expectFit(page, "320 pixels, unfolded");
  },
);

/** The elements of a page that must be scrolled sideways, by their classes. */
function findScrolling(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("section, pre, .scroll")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ className, tagName }) => `${tagName} ${className}`),
  );
}

test.for([961, 1024, 1280])(
  "the table of records shows all fields in a window %i pixels wide",
  async (width, { visit }) => {
    const page = await visit({ viewport: { width, height: 900 } });
    await openPage(page, PAGES.find(({ name }) => name === "records")!);
    expect((await findScrolling(page)).filter((name) => name.includes("records"))).toEqual([]);
    expect(await findCut(page)).toEqual([]);
    expect(await page.getByRole("columnheader").allTextContents()).toHaveLength(12);
    expect(await page.getByRole("cell").filter({ visible: true }).count()).toBe(15 * 11);
    expect(await page.getByRole("table").getByRole("row").count()).toBe(16);
  },
);

test.for([320, 360, 640, 768, 960])(
  "cards show all counts except zeros in a window %i pixels wide",
  async (width, { visit }) => {
    const page = await visit({ viewport: { width, height: 900 } });
    await openPage(page, PAGES.find(({ name }) => name === "records")!);
    expect((await findScrolling(page)).filter((name) => name.includes("records"))).toEqual([]);
    expect(await findCut(page)).toEqual([]);
    // Every record has its camera, its time, its health and its id; zeros are left out.
    for (const part of ["th time", ".camera", ".health", ".id"])
      expect(await page.locator(`tbody ${part}`).filter({ visible: true }).count(), part).toBe(15);
    expect(await page.locator("tbody .count").filter({ visible: true }).count()).toBeGreaterThan(5);
    expect(await page.locator("tbody .zero").filter({ visible: true }).count()).toBe(0);
    // If a word is broken across lines, its cell is higher than one line.
    const heights = await page
      .locator("tbody :is(.camera, .count, .id, .health, time)")
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(30);
  },
);

/** The texts of the cells that are wider than the window. */
function findCut(page: Page): Promise<(string | null)[]> {
  return page
    .locator(".records tbody :is(th, td)")
    .evaluateAll((cells) =>
      cells
        .filter((cell) => cell.checkVisibility() && cell.getBoundingClientRect().right > innerWidth)
        .map((cell) => cell.textContent),
    );
}

test.for(PAGES)("$name: the printed page is complete", async (sitePage, { visit }) => {
  // The width of an A4 page without its margins, at 96 pixels per inch.
  const page = await visit({ origin: findOrigin(sitePage), viewport: { width: 718, height: 1_000 } });
  await openPage(page, sitePage);
  await page.emulateMedia({ media: "print" });
  await expectFit(page, "print");
  expect(await findScrolling(page)).toEqual([]);
  await takeScreenshot(page, `${sitePage.name}-print`);
});

test("camera_ok marks and the current page are visible with forced colours", async ({ visit }) => {
  const page = await visit({ forcedColors: "active" });
  await openPage(page, PAGES.find(({ name }) => name === "records")!);
  const looks = await page.locator(".health, [aria-current]").evaluateAll((all) =>
    all.map((one) => {
      const mark = getComputedStyle(one, "::before");
      return mark.content === "none"
        ? getComputedStyle(one).borderBottomWidth
        : mark.backgroundColor !== getComputedStyle(document.body).backgroundColor;
    }),
  );
  expect(new Set(looks)).toEqual(new Set(["3px", true]));
});

test("a browser shows JSON without errors", async ({ visit }) => {
  const page = await visit();
  await openPage(page, JSON_PAGE);
  await eachLook(page, (look) => takeScreenshot(page, `${JSON_PAGE.name}-${look}`));
});

test("the checks find mistakes", async ({ visit }) => {
  const page = await visit();
  await page.goto("/");
  await page.evaluate(axe.source);
  await page.evaluate(() => {
    const heading = document.querySelector<HTMLElement>("h1");
    heading?.style.setProperty("color", "#ccc");
    heading?.style.setProperty("width", "200vw");
    heading?.insertAdjacentHTML("afterend", "<img src=data:image/png,>");
  });
  expect(await findViolations(page)).toEqual([
    expect.stringMatching(/^color-contrast: <h1/),
    expect.stringMatching(/^image-alt: <img/),
  ]);
  expect(await measureOverflow(page)).toBeGreaterThan(0);
});
