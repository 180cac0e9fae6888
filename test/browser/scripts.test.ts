import type { Locator, Page } from "playwright-core";
import { describe } from "vitest";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { expect, follow, test } from "./visit.ts";

/** Waits until the status next to a button is a word. */
function waitForStatus(piece: Locator, word: string): Promise<void> {
  return expect.poll(() => piece.getByRole("status").textContent()).toBe(word);
}

describe("copy buttons", () => {
  test("copy the text of their code block", async ({ visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/");
    const pieces = await page.locator(".code").all();
    expect(pieces, "the address, four examples and the conformance check").toHaveLength(6);
    for (const piece of pieces) {
      await piece.getByRole("button", { name: /^Copy: / }).click();
      await waitForStatus(piece, "Copied");
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        await piece.locator("code").textContent(),
      );
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

/** The number of pixels of a chart that have each of the given colours of the style sheet. */
function countPixels(canvas: Locator, names: string[]): Promise<number[]> {
  return canvas.evaluate((canvas: HTMLCanvasElement, names) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d")!;
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const counts = new Map<string, number>();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] !== 255) continue;
      const color = `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`;
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    const probe = document.body.appendChild(document.createElement("i"));
    return names.map((name) => {
      probe.style.color = `var(--${name})`;
      return counts.get(getComputedStyle(probe).color) ?? 0;
    });
  }, names);
}

describe("charts", () => {
  const HEALTH = ["chart-True", "chart-False", "chart-null"];
  const chartOf = (page: Page, name: string) => page.getByRole("img", { name });

  test("are drawn, and drawn again when the colour scheme changes", async ({ visit }) => {
    const page = await visit({ colorScheme: "light" });
    await page.goto("/");
    for (const colorScheme of ["light", "dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [chart, names] of [
        ...ROAD_USERS.map((name) => [`Road users counted per day ${name}`, ["bar"]] as const),
        ["Camera health in % of records", HEALTH] as const,
      ]) {
        const fewest = async () => Math.min(...(await countPixels(chartOf(page, chart), [...names])));
        await expect.poll(fewest, { message: `${chart}, ${colorScheme}` }).toBeGreaterThan(500);
      }
    }
  });

  test("show the figures of the table, in proportion", async ({ visit }) => {
    const page = await visit();
    await page.goto("/");
    const pixels = await countPixels(chartOf(page, "Camera health"), HEALTH);
    const { periods } = (await (await page.request.get("/?format=json")).json()).statistics;
    const sum = (health: string) =>
      periods.reduce(
        (total: number, { camera_ok, records }: { camera_ok: Record<string, number>; records: number }) =>
          total + camera_ok[health]! / records,
        0,
      );
    expect(pixels[0]! / pixels[2]! / (sum("True") / sum("null"))).toBeCloseTo(1, 1);
    expect(await page.locator("#periods tbody tr").count()).toBe(periods.length + 1);
  });
});

describe("without scripts", () => {
  test("the pages have everything except the charts and the copy buttons", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled: false });
    await page.goto("/");
    expect(await page.getByRole("button", { name: /Copy/ }).count()).toBe(0);
    expect(await page.locator("figure").filter({ visible: true }).count(), "empty boxes").toBe(0);
    await page.getByText("The figures as a table").click();
    expect(await page.locator("#periods tbody tr").filter({ visible: true }).count()).toBe(11);
    await page.screenshot({ path: "test-output/screenshots/landing-without-scripts.png", fullPage: true });

    await follow(page, () => page.getByRole("link", { name: "Look at the records" }).click());
    await follow(page, () => page.getByRole("link", { name: "Next ›" }).click());
    expect(await page.locator("tbody tr").filter({ visible: true }).count()).toBe(15);
    await page.getByLabel("Page", { exact: true }).fill("2700");
    await follow(page, () => page.getByLabel("Page", { exact: true }).press("Enter"));
    expect(new URL(page.url()).searchParams.get("page")).toBe("2700");
  });
});
