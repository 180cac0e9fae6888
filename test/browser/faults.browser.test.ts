import { PATH } from "../support/exchange.ts";
import { expect, test } from "./visit.ts";

test.for([1280, 390])("at %i pixels, each change is visible without a click", async (width, { visit }) => {
  const page = await visit({ viewport: { width, height: 844 } });
  await page.goto(`${PATH}?page=3&prefer=rows=repeat,count=%2B1,next=skip,record=missing,seed=4`);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("200 OK, 4 changes");
  const links = await page.locator(".banner a[href^='#']").all();
  expect(links).toHaveLength(4);
  for (const link of links) {
    const target = page.locator(`[id='${(await link.getAttribute("href"))?.slice(1)}']`);
    expect(await target.isVisible(), (await link.textContent())!).toBe(true);
  }
  const boxes = page.locator(".response, .response pre");
  const scrolling = boxes.evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1));
  expect(await scrolling).toEqual([]);
  const edges = await page
    .locator("mark, del")
    .evaluateAll((all) => all.map((line) => getComputedStyle(line, "::before").borderLeftWidth));
  expect(new Set(edges)).toEqual(new Set(["3px"]));
});
