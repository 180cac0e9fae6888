import type { Locator } from "@playwright/test";
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

test.for([
  { colorScheme: "light" },
  { colorScheme: "dark" },
  { forcedColors: "active" },
  { media: "print" },
] as const)("the lines of the figure are visible and distinct with %j", async (look, { visit }) => {
  const { media, ...options } = { media: "screen" as const, ...look };
  const page = await visit({ ...options, viewport: { width: 360, height: 800 } });
  await page.goto("/");
  await page.emulateMedia({ media });
  const lines = await page.locator(".plot :is(.weekdays, .weekends)").evaluateAll((all) =>
    all.map((line) => {
      const { stroke, strokeDasharray } = getComputedStyle(line);
      const { width, height } = line.getBoundingClientRect();
      return { stroke, strokeDasharray, isDrawn: width > 200 && height > 60 };
    }),
  );
  expect(lines).toMatchObject([
    { strokeDasharray: "5px, 5px", isDrawn: true },
    { strokeDasharray: "none", isDrawn: true },
  ]);
  const background = await page
    .locator(".chart .panel")
    .evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(lines.map(({ stroke }) => stroke)).not.toContain(background);
});
