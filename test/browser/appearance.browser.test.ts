import type { Page } from "@playwright/test";
import axe from "axe-core";
import { PATH } from "../support/exchange.ts";
import { openDetails, openPage, SITE_PAGES } from "./pages.ts";
import { expect, test } from "./visit.ts";

declare global {
  interface Window {
    /** Set by the source of axe when a page evaluates it. */
    axe: typeof axe;
  }
}

const COLOR_SCHEMES = ["light", "dark"] as const;
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Finds violations with axe: the rule and the element. */
function findViolations(page: Page): Promise<string[]> {
  return page.evaluate(async (values) => {
    const runOnly = { type: "tag", values } as const;
    const options: axe.RunOptions = { runOnly, resultTypes: ["violations"], selectors: false };
    const { violations } = await window.axe.run(document, options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, RULES);
}

/** Measures how many pixels the page is wider than its window. */
function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => (document.scrollingElement?.scrollWidth ?? Number.NaN) - innerWidth);
}

/** Saves a screenshot if the environment variable SCREENSHOTS is set. Git ignores the folder. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  await page.screenshot({ path: `test-output/screenshots/${name}.png`, fullPage: true });
}

test.for(SITE_PAGES)("$name is accessible, and fits into every window", async (sitePage, { visit }) => {
  const page = await openPage(visit, sitePage);
  await page.evaluate(axe.source);
  for (const width of [1280, 390])
    for (const colorScheme of COLOR_SCHEMES) {
      const viewport = `${width}-${colorScheme}`;
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page), viewport).toEqual([]);
      expect(await measureOverflow(page), viewport).toBeLessThanOrEqual(0);
      await takeScreenshot(page, `${sitePage.name}-${viewport}`);
    }
  await openDetails(page);
  expect(await findViolations(page), "with open details").toEqual([]);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await measureOverflow(page), "320 pixels, with open details").toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  expect(await measureOverflow(page), "text of 200 %").toBeLessThanOrEqual(0);
});

test.for(COLOR_SCHEMES)(
  "a response in the reference is accessible, also while the next one is awaited: %s",
  async (colorScheme, { visit }) => {
    const page = await visit({ colorScheme });
    await page.goto("/docs");
    await page.evaluate(axe.source);
    const press = () => page.getByRole("button", { name: "Send" }).click();
    await press();
    await page.locator('.response[aria-busy="false"]').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("prefer (query)").fill("hang");
    await press();
    await page.locator('.response[aria-busy="true"]').waitFor();
    expect(await findViolations(page)).toEqual([]);
  },
);

test.for(COLOR_SCHEMES)("the examples in empty fields are readable: %s", async (colorScheme, { visit }) => {
  const page = await visit({ colorScheme });
  await page.goto("/docs");
  const [text, background] = await page.getByLabel("prefer (query)").evaluate((field) => {
    const { color, opacity } = getComputedStyle(field, "::placeholder");
    return [opacity === "1" ? color : "", getComputedStyle(field).backgroundColor];
  });
  // Axe does not check placeholders.
  expect(getContrast(text!, background!)).toBeGreaterThanOrEqual(4.5);
});

/** Calculates the contrast of two colors such as `rgb(27, 38, 48)` (WCAG 2.2, "contrast ratio"). */
function getContrast(...colors: [string, string]): number {
  const [darker = Number.NaN, lighter = Number.NaN] = colors.map(getLuminance).sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function getLuminance(color: string): number {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = (color.match(/\d+/g) ?? []).map(
    (channel) => {
      const share = Number(channel) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    },
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.for(SITE_PAGES)("$name is complete when printed", async (sitePage, { visit }) => {
  // The width of A4 paper without margins, at 96 pixels per inch.
  const page = await openPage(visit, sitePage, { viewport: { width: 718, height: 1_000 } });
  await page.emulateMedia({ media: "print" });
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
  const content = ".lead, tbody tr, dt, .banner, details .code";
  expect(await page.locator(content).filter({ visible: false }).count()).toBe(0);
  expect(await page.locator("button, input, .records ~ .client").filter({ visible: true }).count()).toBe(0);
  await takeScreenshot(page, `${sitePage.name}-print`);
});

test("a visit reports errors on its pages", async ({ visit }) => {
  const problems = [
    ["alert('hello')", /^dialog: hello/],
    ["setTimeout(() => { throw new Error('thrown') })", /^error: Error: thrown/],
    ["Object.assign(new Image(), { src: 'http://127.0.0.1:9/' })", /^console: violates img-src/],
    ["Object.assign(new Image(), { src: '/missing.png' })", /^console: Failed to load resource.*missing.png/],
  ] as const;
  const patterns = problems.map(([, problem]) => expect.stringMatching(problem));
  const page = await visit({ problems: expect.arrayContaining(patterns) });
  await page.goto(PATH);
  const last = page.waitForEvent("console", (message) => message.text().startsWith("Failed to load"));
  for (const [script] of problems) await page.evaluate(`void ${script}`);
  await last;
});

test("the checks of accessibility and width can fail", async ({ visit }) => {
  const page = await visit();
  await page.goto("/");
  await page.evaluate(axe.source);
  await page.evaluate(() => {
    const heading = document.querySelector<HTMLElement>("h1");
    heading?.style.setProperty("color", "#ccc");
    heading?.style.setProperty("width", "200vw");
  });
  expect(await findViolations(page)).toEqual([expect.stringMatching(/^color-contrast: <h1/)]);
  expect(await measureOverflow(page)).toBeGreaterThan(0);
});
