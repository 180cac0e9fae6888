import type { Page } from "@playwright/test";
import axe from "axe-core";
import { MOCK_OPTIONS } from "../../src/mock/options.ts";
import { eachLook, findOrigin, JSON_PAGE, openFolded, openPage, PAGES, takeScreenshot } from "./pages.ts";
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
      // The layout at 1920 and 768 pixels is the same as at 1280 and 360 pixels.
      if (/^1280|^360/.test(look)) expect(await findViolations(page), look).toEqual([]);
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

const RECORD_PAGES = PAGES.filter(({ name }) => ["records", "records-old"].includes(name));

const WIDTHS = [320, 360, 640, 703, 704, 768, 1024, 1280];

test.for(RECORD_PAGES.flatMap((page) => WIDTHS.map((width) => ({ ...page, width }))))(
  "$name: all fields are visible in a window $width pixels wide",
  async ({ width, ...sitePage }, { visit }) => {
    const page = await visit({ origin: findOrigin(sitePage), viewport: { width, height: 900 } });
    await openPage(page, sitePage);
    await expectFit(page, "records");
    const right = (part: string) =>
      page.locator(part).evaluate((one) => Math.round(one.getBoundingClientRect().right));
    expect(await right("table")).toBeLessThanOrEqual(await right("main"));
    const count = (part: string) => page.locator(part).filter({ visible: true }).count();
    for (const part of ["th time", ".camera_ref", ".health", ".camera_pk", ".id", ".model_name"])
      expect(await count(`tbody ${part}`), part).toBe(15);
    // A narrow window has a card for each record, which leaves out the zeros, and a wide one a table.
    const isTable = width >= 704;
    expect(await count("thead th")).toBe(12);
    expect((await page.getByRole("cell").filter({ visible: true }).count()) === 15 * 11).toBe(isTable);
    expect((await count("tbody .zero")) > 0).toBe(isTable);
    expect(await count("tbody .number:not(.zero)")).toBeGreaterThan(35);
    expect(await findBroken(page)).toEqual([]);
  },
);

/** The texts that are broken across lines, except long references of cameras. */
function findBroken(page: Page): Promise<(string | null)[]> {
  return page.locator("tbody :is(.camera_ref, .number, .model_name, .health, time)").evaluateAll((all) =>
    all
      .filter((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top / 8))).size > 1;
      })
      .map((one) => one.textContent)
      .filter((text) => !text?.startsWith("a-long-reference")),
  );
}

test("a jump to a date leads to its row, below the headings", async ({ visit }) => {
  const page = await visit({ viewport: { width: 1280, height: 400 } });
  await page.goto("/go?date=2025-10-30");
  const top = (place: string) =>
    page
      .locator(place)
      .first()
      .evaluate((one) => one.getBoundingClientRect().top);
  expect(await top(":target")).toBeGreaterThan(await top("thead th"));
  expect(await top(":target")).toBeLessThan(200);
});

/** The most pixels that the landing page may be high, at 360 and at 1280. */
const HEIGHTS = [
  ["landing", 3_600, 2_200],
  ["landing-decade", 3_700, 2_200],
  ["landing-day", 3_600, 2_200],
  ["landing-one", 3_600, 2_200],
  ["landing-empty", 2_500, 1_500],
] as const;

test.for(HEIGHTS)(
  "%s is at most %i pixels high on a phone, and %i on a desktop",
  async (tested, { visit }) => {
    const [name, ...most] = tested;
    const sitePage = PAGES.find((one) => one.name === name)!;
    const page = await visit({ origin: findOrigin(sitePage) });
    await openPage(page, sitePage);
    for (const [index, width] of [360, 1280].entries()) {
      await page.setViewportSize({ width, height: 800 });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      expect(height, `${width}`).toBeLessThanOrEqual(most[index]!);
    }
  },
);

test.for([
  [360, 2 * 740],
  [1280, 900],
])(
  "the landing page %i pixels wide begins with a command and a record of its response",
  async (size, { visit }) => {
    const [width = 0, height = 0] = size;
    const page = await visit({ viewport: { width, height } });
    await page.goto("/");
    for (const text of ["curl -s ", '"model_name"'])
      expect(await page.locator("code", { hasText: text }).first().boundingBox()).toSatisfy(
        (box: { y: number; height: number }) => box.y + box.height < height,
      );
  },
);

test.for(PAGES)("$name: the printed page is complete", async (sitePage, { visit }) => {
  // The width of an A4 page without its margins, at 96 pixels per inch.
  const page = await visit({ origin: findOrigin(sitePage), viewport: { width: 718, height: 1_000 } });
  await openPage(page, sitePage);
  await page.emulateMedia({ media: "print" });
  await expectFit(page, "print");
  expect(await findScrolling(page)).toEqual([]);
  await takeScreenshot(page, `${sitePage.name}-print`);
});

test("the print of a page has its number, and that of a broken body has the response", async ({ visit }) => {
  const page = await visit();
  await page.emulateMedia({ media: "print" });
  await page.goto("/api/tf1/records/?page=2");
  expect(await page.getByText("newest first: page 2 of 2708.").isVisible()).toBe(true);
  await page.goto("/api/tf1/records/?page=2&prefer=body=cut");
  expect(await page.getByText("HTTP 200 OK").isVisible()).toBe(true);
});

test("camera_ok marks and the current page are visible with forced colours", async ({ visit }) => {
  const page = await visit({ forcedColors: "active" });
  await openPage(page, RECORD_PAGES[0]!);
  const looks = await page.locator(".health").evaluateAll((all) =>
    all.map((one) => {
      const { backgroundColor, borderColor } = getComputedStyle(one, "::before");
      return `${one.textContent} ${backgroundColor} ${borderColor}`;
    }),
  );
  expect([...new Set(looks)].sort()).toEqual([
    "False rgb(255, 255, 255) rgb(0, 0, 0)",
    "True rgb(0, 0, 0) rgb(0, 0, 0)",
  ]);
  const current = page.locator("[aria-current]");
  expect(await current.evaluate((one) => getComputedStyle(one).borderBottomWidth)).toBe("3px");
});

test("paper has records, programs and faults, but no JSON of records and no controls", async ({ visit }) => {
  const page = await visit();
  await page.emulateMedia({ media: "print" });
  for (const [path, part, count] of [
    ["/api/tf1/records/", "tbody tr", 15],
    ["/", ".code", 6],
    ["/docs", "section:first-of-type .entries:first-of-type > div", Object.keys(MOCK_OPTIONS).length],
  ] as const) {
    await page.goto(path);
    expect(await page.locator(part).filter({ visible: true }).count(), path).toBe(count);
    expect(await page.locator("button, input, .client").filter({ visible: true }).count(), path).toBe(0);
  }
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
