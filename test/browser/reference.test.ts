import type { Page } from "playwright-core";
import { describe } from "vitest";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { expect, test, type Visit } from "./visit.ts";

async function openReference(visit: Visit): Promise<Page> {
  const page = await visit();
  await page.goto("/docs");
  await page.locator(".opblock").first().waitFor();
  return page;
}

describe("the API reference", () => {
  test("sends a request and shows its response", async ({ visit }) => {
    const page = await openReference(visit);
    const operation = page.locator(".opblock-get").first();
    await operation.locator(".opblock-summary-control").click();
    await operation.locator('tr[data-param-name="page"] input').first().fill("3");
    const [response] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("page=3")),
      operation.locator(".execute").click(),
    ]);
    expect(response.status()).toBe(200);
    const { count, results } = await response.json();
    const shown = operation.locator(".live-responses-table");
    await shown.locator(".response-col_status", { hasText: "200" }).first().waitFor();
    const body = await shown.locator(".highlight-code").first().textContent();
    expect(body).toContain(`"count": ${count}`);
    expect(body).toContain(`"id": ${results[0].id}`);
    expect(await operation.locator(".request-url").textContent()).toContain("/api/tf1/records/?page=3");
  });

  test("shows every path, parameter and field of the OpenAPI document", async ({ visit }) => {
    const page = await openReference(visit);
    const document = await (await page.request.get("/openapi.json")).json();
    for (const operation of await page.locator(".opblock").all())
      await operation.locator(".opblock-summary-control").click();
    for (const schema of await page.locator(".json-schema-2020-12-expand-deep-button").all())
      await schema.click();
    for (const path of Object.keys(document.paths))
      expect(await page.locator(`.opblock-summary-path[data-path="${path}"]`).count()).toBeGreaterThan(0);
    const text = await page.locator("#reference").textContent();
    for (const name of ["page", "format", "If-None-Match", "TrafficRecord", ...ROAD_USERS])
      expect(text).toContain(name);
  });

  test("follows the colour scheme of the reader when it changes", async ({ visit }) => {
    const page = await openReference(visit);
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark-mode"));
    expect(await isDark()).toBe(false);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(isDark).toBe(true);
  });
});
