import type { Locator, Page } from "@playwright/test";
import { describe } from "vitest";
import { openFolded } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

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

async function openForm(page: Page) {
  await page.goto("/docs");
  return page.getByRole("form", { name: "Try it" });
}

describe("without scripts, the form of the API reference", () => {
  test("opens the response, with all parameters that are chosen", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled: false });
    const form = await openForm(page);
    await form.getByLabel("page").fill("3");
    await form.getByLabel("prefer").fill("delay=20-80,retry-after=date");
    const response = await follow(page, () => form.getByRole("button", { name: "Send" }).click());
    expect(response.headers()["content-type"]).toBe("application/json");
    expect(response.headers()["preference-applied"]).toContain("delay=20-80");
    const { searchParams } = new URL((await response.json()).previous);
    expect(searchParams.get("page")).toBe("2");
    expect(searchParams.getAll("prefer")).toEqual(["delay=20-80,retry-after=date"]);
  });

  test("opens a web page", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled: false });
    const form = await openForm(page);
    await form.getByLabel("page").fill("");
    await follow(page, () => form.getByRole("button", { name: "Open the web page" }).click());
    expect(await page.getByLabel("Page", { exact: true }).inputValue()).toBe("1");
    expect(new URL(page.url()).search).toBe("?page=&prefer=&format=api");
  });
});

describe("with scripts, a request is sent in place:", () => {
  /** The text of the response that is shown, when it is complete. */
  async function readSent(page: Page, summary: RegExp): Promise<string> {
    await expect
      .poll(() => page.getByRole("status").allTextContents())
      .toContainEqual(expect.stringMatching(summary));
    return (await page.locator(".response pre").filter({ visible: true }).textContent()) ?? "";
  }

  test("the form shows the response, and a command that follows it", async ({ visit }) => {
    const page = await visit();
    const form = await openForm(page);
    await form.getByLabel("page").fill("3");
    await form.getByLabel("prefer").fill("delay=200");
    await form.getByRole("button", { name: "Send" }).click();
    const text = await readSent(page, /^200 OK, [\d,]+ ms$/);
    expect(text).toMatch(/^GET .*\?page=3&prefer=delay%3D200\n\nHTTP 200 OK\n/);
    expect(text).toContain("\nContent-Type: application/json\n");
    const { previous, results } = JSON.parse(text.slice(text.indexOf("\n{")));
    expect(results).toHaveLength(15);
    expect(previous).toMatch(/format=api&page=2&prefer=delay%3D200$/);
    expect(new URL(page.url()).pathname).toBe("/docs");
    const command = await page.locator(".code code").first().textContent();
    expect(command).toMatch(/^curl -si 'http:.*\/api\/tf1\/records\/\?page=3&prefer=delay%3D200'$/);
    await form.getByLabel("page").fill("");
    await form.getByLabel("prefer").fill("");
    expect(await page.locator(".code code").first().textContent()).toMatch(/\/records\/'$/);
  });

  test("the form shows a fault", async ({ visit }) => {
    const page = await visit({ problems: [expect.stringContaining("status of 503")] });
    const form = await openForm(page);
    await form.getByLabel("prefer").fill("code=503");
    await form.getByRole("button", { name: "Send" }).click();
    const text = await readSent(page, /^503 Service Unavailable/);
    expect(text).toContain("\nPreference-Applied: code=503\n");
    expect(text).toContain("\nRetry-After: ");
    expect(text).toContain('"detail": "Service temporarily unavailable');
  });

  test("the form shows that a connection fails, and the headers before it", async ({ visit }) => {
    const page = await visit({
      problems: expect.arrayContaining([expect.stringContaining("failed request")]),
    });
    const form = await openForm(page);
    await form.getByLabel("prefer").fill("body=cut");
    await form.getByRole("button", { name: "Send" }).click();
    const text = await readSent(page, /^The connection failed$/);
    expect(text).toContain("\nPreference-Applied: body=cut\n");
    expect(text).toMatch(/The connection failed: TypeError/);
  });
});
