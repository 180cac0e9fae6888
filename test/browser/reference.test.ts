import { describe } from "vitest";
import { expect, follow, test } from "./visit.ts";

describe.for([true, false])("the API reference, with scripts: %s", (javaScriptEnabled) => {
  test("sends a request and shows the raw response", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled });
    await page.goto("/docs");
    const form = page.getByRole("form", { name: "Try it: List records" });
    await form.getByLabel("page").fill("3");
    await form.getByLabel("as_of=latest").check();
    const response = await follow(page, () => form.getByRole("button", { name: /raw response/ }).click());
    expect(response.headers()["content-type"]).toBe("application/json");
    const { previous, results } = await response.json();
    expect(results).toHaveLength(15);
    expect(new URL(previous).searchParams.get("page")).toBe("2");
    expect(new URL(previous).searchParams.get("as_of")).toMatch(/^40614-/);
  });

  test("sends a request and opens its web page", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled });
    await page.goto("/docs");
    const form = page.getByRole("form", { name: "Try it: List records" });
    await form.getByLabel("page").fill("last");
    await follow(page, () => form.getByRole("button", { name: "Open the web page" }).click());
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Records");
    expect(new URL(page.url()).search).toBe("?page=last&format=api");
  });

  test("combines faults", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled });
    await page.goto("/docs");
    const form = page.getByRole("form", { name: "Try it: List records" });
    await form.getByLabel("code=503").check();
    await form.getByLabel("delay=200-800").check();
    const response = await follow(page, () => form.getByRole("button", { name: /raw response/ }).click());
    expect(response.status()).toBe(503);
    expect(response.headers()["preference-applied"]).toBe("code=503, delay=200-800");
  });

  test("has a working link for each operation, object and header", async ({ visit }) => {
    const page = await visit({ javaScriptEnabled });
    await page.goto("/docs");
    const broken = await page
      .locator("main a[href^='#']")
      .evaluateAll((links) =>
        links
          .map((link) => link.getAttribute("href") ?? "")
          .filter((href) => document.getElementById(href.slice(1)) === null),
      );
    expect(broken).toEqual([]);
  });
});

test("an empty page number opens page 1", async ({ visit }) => {
  const page = await visit();
  await page.goto("/docs");
  const form = page.getByRole("form", { name: "Try it: List records" });
  await form.getByLabel("page").fill("");
  const response = await follow(page, () => form.getByRole("button", { name: /raw response/ }).click());
  expect((await response.json()).previous).toBeNull();
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
