import { gzipSync } from "node:zlib";
import type { Page, Response } from "@playwright/test";
import axe from "axe-core";
import { getServerOrigin, openDetails, openPage, SITE_PAGES } from "./pages.ts";
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

/** Takes a screenshot for people to look at, if the environment variable SCREENSHOTS is set. Git ignores it. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  await page.screenshot({ path: `test-output/screenshots/${name}.png`, fullPage: true });
}

/** Shows an open page in the ways in which people look at it: windows of four widths, in pixels, light and dark. */
async function forEachViewport(
  page: Page,
  look: (name: string, width: number) => Promise<void>,
): Promise<void> {
  for (const width of [1920, 1280, 768, 360])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await look(`${width}-${colorScheme}`, width);
    }
}

test.for(SITE_PAGES)(
  "$name: axe finds no violation, and the page fits into every window",
  async (sitePage, { visit }) => {
    const page = await openPage(visit, sitePage);
    await expectOutline(page);
    await page.evaluate(axe.source);
    await forEachViewport(page, async (look, width) => {
      // The layout at 1920 and 768 pixels is the same as at 1280 and 360 pixels.
      if (width === 1280 || width === 360) expect(await findViolations(page), look).toEqual([]);
      expect(await measureOverflow(page), look).toBeLessThanOrEqual(0);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      expect(height, look).toBeLessThanOrEqual(sitePage.heights?.[width] ?? 10_000);
      await takeScreenshot(page, `${sitePage.name}-${look}`);
    });
    await openDetails(page);
    expect(await findViolations(page), "unfolded").toEqual([]);
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await measureOverflow(page), "320 pixels, unfolded").toBeLessThanOrEqual(0);
  },
);

test.for(SITE_PAGES)(
  "$name: without style sheets, the page has the same text",
  async (sitePage, { visit }) => {
    const page = await openPage(visit, sitePage, { viewport: { width: 1280, height: 900 } });
    // Only innerText leaves out hidden text.
    const readText = async () => (await page.locator("body").innerText()).replaceAll(/\s/g, "");
    const text = await readText();
    await page.locator("[rel=stylesheet]").evaluateAll((all) => all.map((one) => one.remove()));
    expect(await page.evaluate(() => document.styleSheets.length)).toBe(0);
    expect(await readText()).toBe(text);
    const drawings = await page.locator("svg").evaluateAll((all) => all.map((one) => one.clientHeight));
    expect(
      Math.max(0, ...drawings),
      "the figure would be black, and as high as several windows",
    ).toBeLessThan(10);
  },
);

test.for(SITE_PAGES)("$name: the printed page is complete", async (sitePage, { visit }) => {
  // The width of an A4 page without its margins, at 96 pixels per inch.
  const page = await openPage(visit, sitePage, { viewport: { width: 718, height: 1_000 } });
  await page.emulateMedia({ media: "print" });
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
  const scrolling = await page
    .locator("section, pre, .scroll")
    .evaluateAll((all) =>
      all
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className, tagName }) => `${tagName} ${className}`),
    );
  expect(scrolling).toEqual([]);
  // Firefox moves an item of a grid or of a flexible box to the next sheet as a whole, which leaves a part of the sheet empty.
  const moved = await page
    .locator("main *")
    .evaluateAll((all) =>
      all
        .filter(
          (one) => one.clientHeight > 250 && /grid|flex/.test(getComputedStyle(one.parentElement!).display),
        )
        .map(({ className, tagName }) => `${tagName} ${className}`),
    );
  expect(moved).toEqual([]);
  expect(await page.locator("button, input, .records ~ .client").filter({ visible: true }).count()).toBe(0);
  await takeScreenshot(page, `${sitePage.name}-print`);
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

/** The maximum sizes of pages with everything that they load, in KiB, compressed in the same way as on the platform. */
test.for([
  ["landing", 12],
  ["landing-decade", 25],
  ["reference", 15],
  ["records", 12],
] as const)("%s loads less than %i KiB", async ([name, most], { visit }) => {
  const sitePage = SITE_PAGES.find((one) => one.name === name)!;
  const page = await visit({ origin: getServerOrigin(sitePage) });
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await page.goto(sitePage.path);
  // On a busy machine, the network can be idle for half a second before the style sheet is requested.
  await page.waitForLoadState("networkidle");
  const sizes = await Promise.all(responses.map(async (response) => gzipSync(await response.body()).length));
  expect(sizes[0]).toBeGreaterThan(1_000);
  expect(responses.some((response) => response.url().endsWith(".css"))).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most * 1024);
});

test("a visit reports what goes wrong on its pages", async ({ visit }) => {
  const problems = [
    ["alert('hello')", /^dialog: hello/],
    ["console.error('broken')", /^console: broken/],
    ["console.warn('old')", /^console: old/],
    ["setTimeout(() => { throw new Error('thrown') })", /^error: Error: thrown/],
    ["Object.assign(new Image(), { src: '/missing.png' })", /^console: Failed to load resource.*missing.png/],
  ] as const;
  const other = "http://127.0.0.1:9/";
  const all = [...problems.map(([, problem]) => problem), /^no policy: .*bare$/, `another host: ${other}`];
  const page = await visit({
    problems: expect.arrayContaining(all.map((one) => expect.stringMatching(one))),
  });
  await page.goto("/api/tf1/records/");
  const last = page.waitForEvent("console", (message) => message.text().startsWith("Failed to load"));
  for (const [script] of problems) await page.evaluate(`void ${script}`);
  await last;
  await page.route("/bare", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto("/bare");
  await page.goto(other).catch(() => {});
});
