import { PATH } from "../support/exchange.ts";
import { expect, follow, test } from "./visit.ts";

test.for([
  ["rows=repeat,count=%2B1,next=skip,record=missing,seed=4", 4],
  ["rows=drop,count=%2B1,body=cut,seed=4", 3],
] as const)(
  "with %s, %i changes are named, and each name leads to a visible mark",
  async (row, { visit }) => {
    const [prefer, changes] = row;
    const page = await visit({ viewport: { width: 390, height: 844 } });
    await page.goto(`${PATH}?page=3&prefer=${prefer}`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(`200 OK, ${changes} changes`);
    const links = await page.locator(".banner li a").all();
    expect(links).toHaveLength(changes);
    for (const link of links) {
      await link.click();
      const target = page.locator("mark:target, del:target, small:target");
      // Each line of a panel that scrolls has a position, but only some lines are visible.
      const isVisible = await target.evaluate((element) => {
        const { left, top } = element.getClientRects()[0]!;
        return element.contains(document.elementFromPoint(left + 2, top + 2));
      });
      expect(isVisible, (await link.textContent())!).toBe(true);
    }
    const edges = await page
      .locator("mark, del")
      .evaluateAll((all) => all.map((line) => getComputedStyle(line, "::before").borderLeftWidth));
    expect(new Set(edges)).toEqual(new Set(["3px"]));
  },
);

test.for([
  ["cod=503", "Show the options", /\/docs#faults$/],
  ["on=9,code=503", "on=9 is not met", /\/docs#fault-on$/],
  ["on=9,code=503", "Show the page without faults", /\?page=3$/],
  ["next=skip", "Next ›", /&page=4&/],
  ["body=garbage", "‹ Previous", /&page=2&/],
  ["body=slow,delay=100", "Next ›", /&page=4&/],
  ["count=%2B1,times=1", "Request again as JSON", /[?&]format=json/],
] as const)("the page of a response with %s links to: %s", async ([prefer, name, url], { visit }) => {
  const page = await visit();
  await page.goto(`${PATH}?page=3&prefer=${prefer}`);
  await follow(page, () => page.getByRole("link", { name, exact: true }).first().click());
  expect(page.url()).toMatch(url);
  const { hash } = new URL(page.url());
  expect(await page.locator(":target").count()).toBe(hash === "" ? 0 : 1);
});
