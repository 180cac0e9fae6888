import type { Locator, Page } from "@playwright/test";
import { describe } from "vitest";
import { PATH } from "../support/exchange.ts";
import { openDetails } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

/** Waits until the only status in a part of the page has a text. */
function waitForStatus(part: Locator, text: RegExp): Promise<void> {
  return expect.poll(() => part.getByRole("status").textContent()).toMatch(text);
}

describe("copy buttons", () => {
  test.for([
    // The URL, a command and two scripts.
    ["/", 4],
    ["/docs", 1],
    [PATH, 1],
  ] as const)("of %s copy the text of each of its %i code blocks", async ([path, count], { visit }) => {
    const page = await visit(path, { permissions: ["clipboard-read", "clipboard-write"] });
    await openDetails(page);
    const blocks = await page.locator(".code").all();
    expect(blocks).toHaveLength(count);
    for (const block of blocks) {
      await block.getByRole("button", { name: /^Copy: / }).click();
      await waitForStatus(block, /^Copied$/);
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(await block.locator("code").textContent());
    }
  });

  test("select the text if the clipboard is not allowed", async ({ visit }) => {
    const page = await visit("/");
    await page.context().grantPermissions([]);
    await openDetails(page);
    const block = page.locator(".code", { has: page.getByRole("button", { name: "Copy: Python" }) });
    await block.getByRole("button").click();
    await waitForStatus(block, /^Selected$/);
    const selected = await page.evaluate(() => getSelection()?.toString());
    expect(selected).toBe(await block.locator("code").textContent());
  });
});

test("without scripts, the form opens a response, and the command has a path", async ({ visit }) => {
  const page = await visit("/docs", { javaScriptEnabled: false });
  const prefer = "delay=20-80,seed=4";
  const press = (button: string) => page.getByRole("button", { name: button }).click();
  await page.getByLabel("page").fill("3");
  await page.getByLabel("prefer").fill(prefer);
  expect(await page.locator(".code code").textContent()).toContain("curl -si '/api/tf1/records/' #");
  const response = await follow(page, () => press("Send"));
  expect(response.headers()["content-type"]).toBe("application/json");
  expect(response.headers()["preference-applied"]).toContain("delay=20-80");
  const { searchParams } = new URL((await response.json()).previous);
  expect([searchParams.get("page"), searchParams.getAll("prefer")]).toEqual(["2", [prefer]]);
  await page.goto("/docs");
  await follow(page, () => press("Open as HTML"));
  expect(await page.getByLabel("Page", { exact: true }).inputValue()).toBe("1");
  expect(new URL(page.url()).search).toBe("?page=&prefer=&run=&format=api");
});

describe("the form of the API reference", () => {
  /** Reads the request and the response: its folded head and its body. */
  const readText = async (page: Page) => (await page.locator(".response pre").allTextContents()).join("\n");

  /** Sends a request, and returns the complete response as the page shows it. */
  async function send(page: Page, prefer: string, summary: RegExp = /^200 OK$/): Promise<string> {
    await page.getByLabel("page").fill("3");
    await sendAgain(page, prefer, summary);
    return readText(page);
  }

  async function sendAgain(page: Page, prefer: string, summary: RegExp): Promise<void> {
    await page.getByLabel("prefer").fill(prefer);
    await page.getByRole("button", { name: "Send" }).click();
    await waitForStatus(page.getByRole("form"), summary);
  }

  test.for([
    ["count=+1", "count=+1", /^$/],
    ["a retry", "code=503,times=2", /^\d+$/],
  ] as const)("is filled by the link %s, and is in view", async ([name, prefer, run], { visit }) => {
    const page = await visit("/docs");
    const command = page.locator(".code code");
    const shown = `curl -si '${new URL(page.url()).origin}${PATH}`;
    expect(await command.textContent()).toBe(`${shown}'`);
    await page.getByRole("link", { name, exact: true }).click();
    expect(await page.getByLabel("prefer").inputValue()).toBe(prefer);
    // A shared value would be used up.
    expect(await page.getByLabel("run").inputValue()).toMatch(run);
    expect(await command.textContent()).toContain(`${shown}?prefer=${encodeURIComponent(prefer)}`);
    const { y } = (await page.getByRole("heading", { name: "Try it" }).boundingBox())!;
    expect(Math.round(y)).toBeGreaterThanOrEqual(0);
    expect(new URL(page.url()).pathname).toBe("/docs");
  });

  test.for([
    [{ faults: false, prefer: null }, /faults are turned off/, "200 OK · faults are turned off"],
    [{ faults: true, prefer: "delay=1" }, /get delay=1/, "200 OK · no option applied"],
  ] as const)("tells the settings of the deployment: %j", async ([settings, shown, summary], { visit }) => {
    const page = await visit("/docs");
    await page.route("/?format=json", (route) => route.fulfill({ json: settings }));
    await page.reload();
    await send(page, "on=9,code=503", new RegExp(`^${summary}$`));
    expect(await page.locator("#settings").textContent()).toMatch(shown);
  });

  test("says nothing about the options if a proxy responds", async ({ visit }) => {
    const page = await visit("/docs", { problems: [expect.stringContaining("status of 500")] });
    await page.route(`${PATH}?*`, (route) => route.fulfill({ status: 500 }));
    await send(page, "close", /^500 Internal Server Error$/);
  });

  test("shows the response, without leaving the page", async ({ visit }) => {
    const page = await visit("/docs");
    const text = await send(page, "delay=200", /^200 OK · applied: delay=200$/);
    expect(text).toMatch(/^GET .*\?page=3&prefer=delay%3D200\n\nHTTP 200 OK\n/);
    expect(text).toContain("\ncontent-type: application/json\n");
    const { previous, results } = JSON.parse(text.slice(text.indexOf("\n{")));
    expect(results).toHaveLength(15);
    expect(previous).toMatch(/format=api&page=2&prefer=delay%3D200$/);
    expect(await page.locator("[role=status] + span").textContent()).toMatch(/^\d+ ms$/);
    expect(new URL(page.url()).pathname).toBe("/docs");
    await follow(page, () => page.getByRole("link", { name: previous }).click());
    expect(await page.getByLabel("Page", { exact: true }).inputValue()).toBe("2");
  });

  // biome-ignore format: a table of cases
  test.for([
    ["code=503,body=garbage", /^503 Service Unavailable · applied: code=503, body=garbage$/, /\n\n\{"count": 1, .*<not json>$/, "status of 503"],
    // Chromium can discard the part that has arrived.
    ["body=cut", /^200 OK, but the connection failed · applied: body=cut$/,
      /\n\n(?:\{"count":\d+,.*[^}]\n\n)?200 OK, but the connection failed: TypeError/, "failed request"],
    ["close", /^The request failed$/, /^GET .*\nThe request failed: TypeError/, "failed request"],
  ] as const)("shows what arrives with %s", async ([prefer, summary, shown, problem], { visit }) => {
    const page = await visit("/docs", { problems: expect.arrayContaining([expect.stringContaining(problem)]) });
    const text = await send(page, prefer, summary);
    expect(text).toMatch(shown);
  });

  test("dims the response while the next one is awaited", async ({ visit }) => {
    const page = await visit("/docs");
    await send(page, "");
    const parts = page.locator("#received .response > pre, #received a");
    const readColors = () => parts.evaluateAll((all) => all.map((part) => getComputedStyle(part).color));
    const colors = await readColors();
    await sendAgain(page, "hang", /^Waiting for the response$/);
    expect(await page.locator("#received").getAttribute("aria-busy")).toBe("true");
    const dimmed = await readColors();
    for (const color of colors) expect(dimmed).not.toContain(color);
    const seconds = page.locator("[role=status] + span");
    expect(await seconds.textContent(), "not the time of the previous response").not.toContain("ms");
    await expect.poll(() => seconds.textContent()).toMatch(/^\d+ s$/);
    expect(await readText(page), "the previous response").toContain("HTTP 200 OK");
    await sendAgain(page, "delay=1", /^200 OK · applied: delay=1$/);
    expect(await readColors()).toEqual(colors);
  });

  test("shows the status in a small window, and each response from its top", async ({ visit }) => {
    const page = await visit("/docs");
    await page.setViewportSize({ width: 320, height: 256 });
    await send(page, "");
    const panel = page.locator("#received");
    await panel.evaluate((element) => element.scrollTo(0, 999));
    await sendAgain(page, "hang", /^Waiting for the response$/);
    const { top, bottom } = await page
      .locator("#try [role=status]")
      .evaluate((element) => element.getBoundingClientRect());
    expect([Math.round(top) >= 0, Math.round(bottom) <= 256]).toEqual([true, true]);
    expect(await panel.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test("shows a slow body while it arrives", async ({ visit }) => {
    const page = await visit("/docs");
    const text = await send(page, "body=slow,delay=10000", /^200 OK, the body is arriving · applied: /);
    expect(text).toContain('\n\n{"count":');
    expect(text, "a part of the body").not.toMatch(/\]\s*\}$/);
    await waitForStatus(page.getByRole("form"), /^200 OK · applied: /);
    expect(await readText(page)).toMatch(/\n {2}\]\n\}$/);
  });
});
