import type { Locator, Page } from "playwright-core";
import { describe, inject } from "vitest";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { takeScreenshot } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

/** Waits until the status next to a button is a word. */
function waitForStatus(piece: Locator, word: string): Promise<void> {
  return expect.poll(() => piece.getByRole("status").textContent(), { timeout: 20_000 }).toBe(word);
}

describe("copy buttons", () => {
  test("copy the text of their code block", async ({ visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    for (const [path, count] of [
      // The address, four examples and the conformance check.
      ["/", 6],
      ["/docs", 3],
      ["/api/tf1/records/", 1],
    ] as const) {
      await page.goto(path);
      const pieces = await page.locator(".code").all();
      expect(pieces).toHaveLength(count);
      for (const piece of pieces) {
        await piece.getByRole("button", { name: /^Copy: / }).click();
        await waitForStatus(piece, "Copied");
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
          await piece.locator("code").textContent(),
        );
      }
    }
  });

  test("show the result for two seconds after the last click", async ({ visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.clock.install();
    await page.goto("/");
    const piece = page.locator(".code").first();
    const button = piece.getByRole("button");
    await button.click();
    await waitForStatus(piece, "Copied");
    await page.clock.runFor(1_500);
    await button.click();
    await waitForStatus(piece, "Copied");
    await page.clock.runFor(1_500);
    await waitForStatus(piece, "Copied");
    await page.clock.runFor(1_000);
    await waitForStatus(piece, "");
  });

  test("select the text if the clipboard is not allowed", async ({ visit }) => {
    const page = await visit();
    await page.context().grantPermissions([]);
    await page.goto("/");
    const piece = page.locator(".code", { has: page.getByRole("button", { name: "Copy: Python" }) });
    await piece.getByRole("button").click();
    await waitForStatus(piece, "Selected");
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(
      await piece.locator("code").textContent(),
    );
  });
});

describe("charts", () => {
  const COUNTS = ROAD_USERS.map((name) => `Road users counted per day ${name}`);
  const HEALTH = "Camera health in % of records";
  const readPeriods = async (page: Page) =>
    (await (await page.request.get("/?format=json")).json()).statistics.periods;
  const measure = (bars: Locator) =>
    bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height));

  test("show the figures of the collection, in proportion", async ({ visit }) => {
    const page = await visit();
    await page.goto("/");
    const periods = await readPeriods(page);
    for (const [index, name] of ROAD_USERS.entries()) {
      const heights = await measure(page.getByRole("img", { name: COUNTS[index]! }).locator("rect"));
      const counts = periods.map(({ totals }: { totals: Record<string, number> }) => totals[name]);
      expect(heights).toHaveLength(periods.length);
      for (const [at, height] of heights.entries())
        expect(height / heights[0]!, `${name}, bar ${at}`).toBeCloseTo(counts[at] / counts[0], 1);
    }
    const sum = (health: string) =>
      periods.reduce(
        (total: number, { camera_ok, records }: { camera_ok: Record<string, number>; records: number }) =>
          total + camera_ok[health]! / records,
        0,
      );
    const [good, unknown] = await Promise.all(
      ["True", "null"].map(async (health) =>
        (await measure(page.getByRole("img", { name: HEALTH }).locator(`.bar-${health}`))).reduce(
          (total, height) => total + height,
          0,
        ),
      ),
    );
    expect(good! / unknown! / (sum("True") / sum("null"))).toBeCloseTo(1, 1);
    expect(await page.locator("#periods tbody tr").count()).toBe(periods.length + 1);
  });

  test.for([
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { forcedColors: "active" },
    { media: "print" },
    { javaScriptEnabled: false },
  ] as const)("are visible with %j", async (look, { visit }) => {
    const { media, ...options } = { media: "screen" as const, ...look };
    const page = await visit(options);
    await page.goto("/");
    await page.emulateMedia({ media });
    for (const name of [...COUNTS, HEALTH]) {
      const bars = page.getByRole("img", { name }).locator("rect");
      const colors = await bars.evaluateAll((all) => all.map((bar) => getComputedStyle(bar).fill));
      const panel = await page.evaluate(
        () => getComputedStyle(document.querySelector(".panel") ?? document.body).backgroundColor,
      );
      expect(colors).not.toContain(panel);
      expect(Math.max(...(await measure(bars)))).toBeGreaterThan(40);
    }
  });

  test("show hours if the collection has one day", async ({ visit }) => {
    const page = await visit({ origin: inject("others").day });
    await page.goto("/");
    expect(await page.getByText("Road users counted per hour").isVisible()).toBe(true);
    expect(await page.getByRole("img", { name: "per hour cars" }).locator("g").count()).toBe(24);
    expect(await page.locator("#periods tbody tr").count()).toBe(24);
  });
});

describe("without scripts", () => {
  test("the pages have everything except the copy buttons", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled: false });
    await page.goto("/");
    expect(await page.getByRole("button", { name: /Copy/ }).count()).toBe(0);
    await page.getByText("The figures as a table").click();
    expect(await page.locator("#periods tbody tr").filter({ visible: true }).count()).toBe(11);
    await takeScreenshot(page, "landing-without-scripts");

    await follow(page, () => page.getByRole("link", { name: "Look at the records" }).click());
    await follow(page, () => page.getByRole("link", { name: "Next ›" }).first().click());
    expect(await page.locator("tbody tr").filter({ visible: true }).count()).toBe(15);
    await page.getByLabel("Page", { exact: true }).fill("2700");
    await follow(page, () => page.getByLabel("Page", { exact: true }).press("Enter"));
    expect(new URL(page.url()).searchParams.get("page")).toBe("2700");
  });
});
