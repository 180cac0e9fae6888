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

/** Measures how much of its block the narrowest code has. The copy button takes the rest. */
function measureCode(page: Page): Promise<number> {
  const blocks = page.locator(".code");
  return blocks.evaluateAll((all) =>
    Math.min(1, ...all.map((block) => block.firstElementChild!.clientWidth / block.clientWidth)),
  );
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
  for (const size of ["100%", "200%"]) {
    await page.evaluate((size) => document.documentElement.style.setProperty("font-size", size), size);
    for (const width of [320, 360, 390, 480, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await measureOverflow(page), `${width} pixels, text of ${size}`).toBeLessThanOrEqual(0);
      expect(await measureCode(page), `${width} pixels, text of ${size}`).toBeGreaterThan(0.6);
    }
  }
});

test.for(COLOR_SCHEMES)("responses in the reference are accessible: %s", async (colorScheme, { visit }) => {
  const page = await visit("/docs", { colorScheme });
  await page.evaluate(axe.source);
  const press = () => page.getByRole("button", { name: "Send" }).click();
  await press();
  await page.locator('#received[aria-busy="false"]').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel("prefer").fill("hang");
  await press();
  await page.locator('#received[aria-busy="true"]').waitFor();
  expect(await findViolations(page)).toEqual([]);
});

test("the examples in empty fields, which axe does not check, look like quiet text", async ({ visit }) => {
  const page = await visit("/docs");
  const [example, text] = await page.getByLabel("prefer").evaluate((field) => {
    const listStyles = ({ color, opacity }: CSSStyleDeclaration) => [color, opacity];
    const quiet = document.querySelector(".quiet")!;
    return [getComputedStyle(field, "::placeholder"), getComputedStyle(quiet)].map(listStyles);
  });
  expect(example).toEqual(text);
});

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
  const page = await visit(PATH, { problems: expect.arrayContaining(patterns) });
  const last = page.waitForEvent("console", (message) => message.text().startsWith("Failed to load"));
  for (const [script] of problems) await page.evaluate(`void ${script}`);
  await last;
});

test("the checks of accessibility and width can fail", async ({ visit }) => {
  const page = await visit("/");
  await page.evaluate(axe.source);
  await page.evaluate(() => {
    const heading = document.querySelector<HTMLElement>("h1");
    heading?.style.setProperty("color", "#ccc");
    heading?.style.setProperty("width", "200vw");
  });
  expect(await findViolations(page)).toEqual([expect.stringMatching(/^color-contrast: <h1/)]);
  expect(await measureOverflow(page)).toBeGreaterThan(0);
});
