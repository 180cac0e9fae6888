import type { Page as BrowserPage } from "playwright-core";
import { describe, inject } from "vitest";
import { lastPage } from "../../src/records/page.ts";
import { Page } from "../../src/records/record.ts";
import { expect, follow, test } from "./visit.ts";

const PATH = "/api/tf1/records/";

/** Reads a page as JSON, without the browser. */
async function readJson(number: number | string): Promise<Page> {
  return Page.parse(await (await fetch(`${inject("origin")}${PATH}?page=${number}`)).json());
}

const timestamps = async (number: number | string) =>
  (await readJson(number)).results.map(({ timestamp }) => timestamp);

describe("the site", () => {
  test("has links from the landing page through pages of records to raw JSON and back", async ({ visit }) => {
    const page = await visit();
    // These are the links above the records. The links below the records are the same.
    const link = (name: string) => page.getByRole("link", { name, exact: true }).first();
    const shown = () => page.locator("tbody time").allTextContents();

    await page.goto("/");
    await follow(page, () => link("Look at the records").click());
    expect(await shown()).toEqual(await timestamps(1));
    expect(await page.getByRole("link", { name: /Newest$|Previous/ }).count(), "nothing is newer").toBe(0);

    for (const number of [2, 3]) {
      await follow(page, () => link("Next ›").click());
      expect(await shown(), `page ${number}`).toEqual(await timestamps(number));
      expect(await page.getByLabel("Page", { exact: true }).inputValue()).toBe(String(number));
    }

    const raw = await follow(page, () => link("Raw JSON").click());
    expect(raw.headers()["content-type"]).toBe("application/json");
    expect((await raw.json()).results).toEqual((await readJson(3)).results);
    await follow(page, () => page.goBack());
    expect(await shown()).toEqual(await timestamps(3));

    await follow(page, () => link("‹ Previous").click());
    expect(await shown()).toEqual(await timestamps(2));
    await follow(page, () => page.locator(".response a").first().click());
    expect(await shown(), "by the link in the response").toEqual(await timestamps(3));

    await follow(page, () => link("Oldest »").click());
    expect(await shown()).toEqual(await timestamps("last"));
    expect(await page.getByRole("link", { name: /Next|Oldest/ }).count(), "nothing is older").toBe(0);
    await follow(page, () => link("« Newest").click());
    expect(await shown()).toEqual(await timestamps(1));
    await follow(page, () => link("Overview").click());
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Traffic Count Records");
  });

  test("shows the twelve fields of each record", async ({ visit }) => {
    const page = await visit();
    for (const [number, health] of [
      ["1", "False"],
      ["last", "null"],
    ] as const) {
      await page.goto(`${PATH}?page=${number}`);
      const names = await page.locator("thead th").allTextContents();
      const rows = await page
        .locator("tbody tr")
        .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)));
      const results = (await readJson(number)).results.map((record) =>
        Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)])),
      );
      const shown = rows.map((row) => Object.fromEntries(row.map((text, index) => [names[index], text])));
      expect(shown).toEqual(results);
      expect(JSON.parse((await page.locator(".response code").textContent()) ?? "").results).toEqual(
        (await readJson(number)).results,
      );
      expect(rows.map((row) => row[2])).toContain(health);
    }
  });
});

describe("the page box", () => {
  const last = async () => lastPage((await readJson(1)).count);
  const boxOf = (page: BrowserPage) => page.getByLabel("Page", { exact: true });
  const go = (page: BrowserPage) => page.getByRole("button", { name: "Go" }).click();

  test("goes to any page", async ({ visit }) => {
    const page = await visit();
    await page.goto(PATH);
    const shown = (await page.locator("#last-page").textContent())?.replace("of ", "") ?? "";
    expect(shown, "without separators").toBe(String(await last()));
    for (const [text, number] of [
      ["2700", 2700],
      [shown, await last()],
      ["", 1],
    ] as const) {
      await boxOf(page).fill(text);
      const response = await follow(page, () => go(page));
      expect(response.status(), text).toBe(200);
      expect(await page.locator("tbody time").allTextContents(), text).toEqual(await timestamps(number));
    }
  });

  test("accepts a number with a separator or with spaces", async ({ visit }) => {
    const page = await visit();
    await page.goto(PATH);
    for (const [text, number] of [
      ["2,708", 2708],
      [" 3 ", 3],
    ] as const) {
      await boxOf(page).fill("");
      await boxOf(page).pressSequentially(text);
      await follow(page, () => go(page));
      expect(await page.locator("tbody time").allTextContents(), text).toEqual(await timestamps(number));
    }
  });

  test("does not open pages that do not exist", async ({ visit }) => {
    const page = await visit();
    await page.goto(PATH);
    const address = page.url();
    for (const text of ["0", "-1", "1.5", "99999999", String((await last()) + 1)]) {
      await boxOf(page).fill(text);
      await go(page);
      expect(await boxOf(page).evaluate((box: HTMLInputElement) => box.matches(":invalid")), text).toBe(true);
    }
    expect(page.url()).toBe(address);
  });

  test("opens a page after an invalid page", async ({ visit }) => {
    const page = await visit();
    for (const query of ["page=abc", "page=0", "page=99999999", "as_of=99999999", "as_of=abc&page=3"]) {
      const wrong = await page.goto(`${PATH}?${query}`);
      expect(wrong?.status(), query).toBe(404);
      expect(await page.locator(".lead").textContent()).toBe("Invalid page.");
      expect(await page.locator("pre").textContent()).toBe('{"detail":"Invalid page."}');
      await boxOf(page).fill("2");
      expect((await follow(page, () => go(page))).status(), query).toBe(200);
      expect(await page.locator("tbody time").allTextContents()).toEqual(await timestamps(2));
    }
  });
});

test("the arrow keys turn pages, but not in fields and in areas that scroll", async ({ visit }) => {
  const page = await visit();
  await page.goto(PATH);
  const press = (key: string) => follow(page, () => page.keyboard.press(key));
  await press("ArrowRight");
  await press("ArrowRight");
  expect(new URL(page.url()).searchParams.get("page")).toBe("3");
  await press("ArrowLeft");
  expect(await page.locator("tbody time").allTextContents()).toEqual(await timestamps(2));
  const address = page.url();
  for (const place of [page.getByLabel("Page", { exact: true }), page.locator(".records")]) {
    await place.focus();
    await page.keyboard.press("ArrowRight");
    expect(page.url()).toBe(address);
  }
});

test("each record has its own address", async ({ visit }) => {
  const page = await visit();
  const { id } = (await readJson(2)).results[9]!;
  await page.goto(`${PATH}?page=2#${id}`);
  expect(await page.locator(":target .id").textContent()).toBe(String(id));
});

test("an error page links to the records", async ({ visit }) => {
  const page = await visit();
  expect((await page.goto("/nowhere"))?.status()).toBe(404);
  await follow(page, () => page.getByRole("link", { name: "The newest records" }).click());
  expect(await page.locator("tbody tr").count()).toBe(15);
});
