import type { Page } from "@playwright/test";
import { describe } from "vitest";
import { MOCK_OPTIONS } from "../../src/mock/options.ts";
import { expect, follow, test } from "./visit.ts";

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

test("every link of the API reference leads to a place that it shows", async ({ visit }) => {
  const page = await visit();
  await page.goto("/docs");
  const targets = await page
    .locator("main a[href^='#']")
    .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute("href") ?? ""))]);
  expect(targets).toContain("#faults");
  for (const target of targets) {
    await page.evaluate((hash) => location.assign(hash), target);
    expect(await page.locator(`[id="${target.slice(1)}"]`).isVisible(), target).toBe(true);
  }
});

test("the form suggests every option", async ({ visit }) => {
  const page = await visit();
  const form = await openForm(page);
  const suggestions = await form.locator("option").evaluateAll((all) => all.map((one) => Object(one).value));
  expect(suggestions).toEqual(Object.values(MOCK_OPTIONS).map(({ example }) => example));
});

test("the API reference is short on a phone", async ({ visit }) => {
  const page = await visit({ viewport: { width: 360, height: 800 } });
  await page.goto("/docs");
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(7_200);
});

test("the layout does not shift while the page loads, even on a slow phone", async ({ visit }) => {
  const page = await visit({ viewport: { width: 360, height: 640 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        document.documentElement.dataset.shift = String(Object(entry).value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto("/docs", { waitUntil: "networkidle" });
  expect(await page.locator("html").getAttribute("data-shift")).toBeNull();
});
