import type { Locator, Page } from "@playwright/test";
import { describe } from "vitest";
import { openFolded } from "./pages.ts";
import { expect, test } from "./visit.ts";

/** Waits until the status next to a button is a word. */
function waitForStatus(piece: Locator, word: string): Promise<void> {
  return expect.poll(() => piece.getByRole("status").textContent(), { timeout: 20_000 }).toBe(word);
}

describe("copy buttons", () => {
  test("copy the text of their code block", async ({ visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    for (const [path, count] of [
      // The address, two commands and three programs.
      ["/", 6],
      ["/docs", 2],
      ["/api/tf1/records/", 1],
    ] as const) {
      await page.goto(path);
      await openFolded(page);
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
    await openFolded(page);
    const piece = page.locator(".code", { has: page.getByRole("button", { name: "Copy: Python" }) });
    await piece.getByRole("button").click();
    await waitForStatus(piece, "Selected");
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(
      await piece.locator("code").textContent(),
    );
  });
});

describe("the chart", () => {
  const readBars = (page: Page) =>
    page
      .locator(".plot a")
      .evaluateAll((bars) =>
        bars.map((bar) =>
          Object.fromEntries(
            Array.from(bar.querySelectorAll("rect"), (part) => [
              part.getAttribute("class"),
              part.getBoundingClientRect().height,
            ]),
          ),
        ),
      );

  test("shows the figures of the collection in proportion, and so does the table", async ({ visit }) => {
    const page = await visit();
    await page.goto("/");
    const { periods } = (await (await page.request.get("/?format=json")).json()).statistics;
    const bars = await readBars(page);
    expect(bars).toHaveLength(10);
    const most = Math.max(...periods.map(({ records }: { records: number }) => records));
    const full = Math.max(
      ...bars.map((parts) => Object.values<number>(parts).reduce((sum, part) => sum + part, 0)),
    );
    for (const [index, { camera_ok }] of periods.entries())
      for (const health of ["True", "False", "null"])
        expect((bars[index]![`health-${health}`] ?? 0) / full, `${health}, bar ${index}`).toBeCloseTo(
          camera_ok[health] / most,
          2,
        );
    const rows = await page.locator("#periods tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t")[1]?.replace(",", ""))).toEqual(
      periods.map(({ records }: { records: number }) => String(records)),
    );
    expect(await page.locator(".labels text").allTextContents()).toEqual([
      "17–19 May 2019",
      "27 Oct – 2 Nov 2025",
    ]);
  });

  test.for([
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { forcedColors: "active" },
    { media: "print" },
  ] as const)("is visible with %j", async (look, { visit }) => {
    const { media, ...options } = { media: "screen" as const, ...look };
    const page = await visit(options);
    await page.goto("/");
    await page.emulateMedia({ media });
    const looks = await page.locator(".plot rect").evaluateAll((all) =>
      all.map((bar) => {
        const { fill, stroke } = getComputedStyle(bar);
        return `${fill} ${stroke}`;
      }),
    );
    const background = await page
      .locator(".chart .panel")
      .evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(new Set([...looks, `${background} none`]).size, "True, False, null and the background").toBe(4);
  });
});
