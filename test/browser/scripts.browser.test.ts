import type { Locator, Page } from "@playwright/test";
import { describe } from "vitest";
import { PATH } from "../support/exchange.ts";
import { openDetails } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

/** Waits until the only status in a part of the page has a text. */
function waitForStatus(part: Locator, text: RegExp): Promise<void> {
  return expect.poll(() => part.getByRole("status").textContent()).toMatch(text);
}

const listColors = (parts: Locator) =>
  parts.evaluateAll((all) => all.map((part) => getComputedStyle(part).color));

describe("copy buttons", () => {
  test.for([
    // The URL, a command and two scripts.
    ["/", 4],
    ["/docs", 1],
    [PATH, 1],
  ] as const)("of %s copy the text of each of its %i code blocks", async ([path, count], { visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(path);
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
    const page = await visit();
    await page.context().grantPermissions([]);
    await page.goto("/");
    await openDetails(page);
    const block = page.locator(".code", { has: page.getByRole("button", { name: "Copy: Python" }) });
    await block.getByRole("button").click();
    await waitForStatus(block, /^Selected$/);
    const selected = await page.evaluate(() => getSelection()?.toString());
    expect(selected).toBe(await block.locator("code").textContent());
  });
});

/** Fills the form of the API reference, and returns a function that clicks one of its buttons. */
async function fillForm(page: Page, number: string, prefer: string) {
  await page.goto("/docs");
  await page.getByLabel("page").fill(number);
  await page.getByLabel("prefer (query)").fill(prefer);
  return (button: string) => page.getByRole("button", { name: button }).click();
}

test("without scripts, the form opens the JSON response or the HTML view, and the command has a path", async ({
  visit,
}) => {
  const page = await visit({ javaScriptEnabled: false });
  const prefer = "delay=20-80,seed=4";
  let press = await fillForm(page, "3", prefer);
  expect(await page.locator(".code code").textContent()).toContain("curl -si '/api/tf1/records/?page=2' #");
  expect(await page.locator("#try").getByRole("group").count(), "fields that only a script can send").toBe(0);
  const response = await follow(page, () => press("Send"));
  expect(response.headers()["content-type"]).toBe("application/json");
  expect(response.headers()["preference-applied"]).toContain("delay=20-80");
  const { searchParams } = new URL((await response.json()).previous);
  expect([searchParams.get("page"), searchParams.getAll("prefer")]).toEqual(["2", [prefer]]);
  press = await fillForm(page, "", "");
  await follow(page, () => press("Open as HTML"));
  expect(await page.getByLabel("Page", { exact: true }).inputValue()).toBe("1");
  expect(new URL(page.url()).search).toBe("?page=&prefer=&format=api");
});

test("without scripts, an example of the API reference opens its response", async ({ visit }) => {
  const page = await visit({ javaScriptEnabled: false });
  await page.goto("/docs");
  const link = page.getByRole("link", { name: "code=503", exact: true });
  const response = await follow(page, () => link.click());
  expect(response.status()).toBe(503);
});

describe("the form of the API reference", () => {
  /** Reads the request and the response: its folded head and its body. */
  const readText = async (page: Page) => (await page.locator(".response pre").allTextContents()).join("\n");

  /** Sends a request, and returns the complete response as the page shows it. */
  async function send(page: Page, prefer: string, summary: RegExp = /^200 OK$/): Promise<string> {
    const press = await fillForm(page, "3", prefer);
    await press("Send");
    await waitForStatus(page.getByRole("form"), summary);
    return readText(page);
  }

  test("has a command with the origin of the page, and the values of the form", async ({ visit }) => {
    const page = await visit();
    await page.goto("/docs");
    const { origin } = new URL(page.url());
    const command = page.locator(".code code");
    expect(await command.textContent()).toBe(`curl -si '${origin}${PATH}?page=2'`);
    await page.getByLabel("page").fill("");
    await page.getByLabel("prefer (query)").fill("delay=200");
    expect(await command.textContent()).toBe(`curl -si '${origin}${PATH}?prefer=delay%3D200'`);
    await page.getByLabel("method").selectOption("OPTIONS");
    await page.getByLabel("If-None-Match").fill('"a"');
    expect(await command.textContent()).toContain(`curl -si -X OPTIONS -H 'If-None-Match: "a"' '${origin}`);
    await page.getByLabel("method").selectOption("HEAD");
    expect(await command.textContent()).toContain("curl -sI -H ");
  });

  test("is filled by an example, and is in view with its heading", async ({ visit }) => {
    const page = await visit();
    await page.goto("/docs");
    await page.getByRole("link", { name: "count=+1" }).click();
    expect(await page.getByLabel("prefer (query)").inputValue()).toBe("count=+1");
    expect(await page.locator(".code code").textContent()).toContain("page=3&prefer=count%3D%2B1'");
    expect((await page.getByRole("heading", { name: "Try it" }).boundingBox())!.y).toBeGreaterThanOrEqual(0);
    expect(new URL(page.url()).pathname).toBe("/docs");
  });

  test("shows the response, without leaving the page", async ({ visit }) => {
    const page = await visit();
    const text = await send(page, "delay=200", /^200 OK · applied: delay=200$/);
    expect(text).toMatch(/^GET .*\?page=3&prefer=delay%3D200\n\nHTTP 200 OK\n/);
    expect(text).toContain("\nContent-Type: application/json\n");
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
    const page = await visit({ problems: expect.arrayContaining([expect.stringContaining(problem)]) });
    const text = await send(page, prefer, summary);
    expect(text).toMatch(shown);
  });

  test.for([
    ["record=missing,seed=4", "200 OK · applied: record=missing, seed=4", 1],
    ["on=9,code=503", "200 OK · no option applied", 0],
  ] as const)("tells what %s did, until the form is edited", async ([prefer, summary, marks], { visit }) => {
    const page = await visit();
    await send(page, prefer, new RegExp(`^${summary}$`));
    const link = page.getByRole("link", { name: "Request again with marks" });
    expect(await link.count()).toBe(marks);
    const readColors = () => listColors(page.locator("#try [role=status], .response > pre"));
    const [text] = await readColors();
    expect(await readColors()).toEqual([text, text]);
    await page.getByLabel("page").fill("4");
    const [dimmed] = await readColors();
    expect(await readColors()).toEqual([dimmed, dimmed]);
    expect(dimmed).not.toBe(text);
    if (marks > 0) await follow(page, () => link.click());
    expect(await page.locator("mark, del").count()).toBe(marks);
  });

  test("sends headers and other methods", async ({ visit }) => {
    const page = await visit();
    const first = await send(page, "");
    const form = page.getByRole("form");
    const etag = /^ETag: (.*)$/m.exec(first)?.[1] ?? "";
    expect(await page.locator("#etags option").textContent()).toBe(etag);
    await page.getByLabel("If-None-Match").fill(etag);
    await page.keyboard.press("Enter");
    await waitForStatus(form, /^304 Not Modified$/);
    expect(await readText(page)).toContain(`?page=3\nIf-None-Match: ${etag}\n\nHTTP 304 Not Modified\n`);
    await page.getByLabel("If-None-Match").fill("");
    await page.getByLabel("Prefer (header)").fill("delay=20");
    await page.getByLabel("method").selectOption("HEAD");
    await page.getByRole("button", { name: "Send" }).click();
    await expect
      .poll(() => readText(page))
      .toMatch(/^HEAD .*\nPrefer: delay=20\n.*Applied: delay=20\n.*: nosniff\n\n$/s);
    await page.getByLabel("method").selectOption("OPTIONS");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => readText(page)).toMatch(/^OPTIONS .*\n {2}"renders": \[/s);
  });

  test("shows that a response is awaited, and can cancel it", async ({ visit }) => {
    const page = await visit({ problems: [] });
    await send(page, "");
    const panel = page.locator(".response");
    const cancel = page.getByRole("button", { name: "Cancel" });
    const readColors = () => listColors(panel.locator("> pre, a"));
    const [text, link] = await readColors();
    expect(await cancel.count()).toBe(0);
    await page.getByLabel("prefer (query)").fill("hang");
    await page.getByRole("button", { name: "Send" }).click();
    await waitForStatus(page.getByRole("form"), /^Waiting for the response$/);
    expect(await panel.getAttribute("aria-busy")).toBe("true");
    const seconds = page.locator("[role=status] + span");
    expect(await seconds.textContent(), "not the time of the previous response").not.toContain("ms");
    const dimmed = await readColors();
    expect(dimmed).not.toContain(text);
    expect(dimmed).not.toContain(link);
    expect(await readText(page), "the previous response").toContain("HTTP 200 OK");
    await expect.poll(() => seconds.textContent()).toMatch(/^\d+ s$/);
    await cancel.focus();
    await page.keyboard.press("Enter");
    await waitForStatus(page.getByRole("form"), /^Canceled$/);
    expect(await readText(page)).toMatch(/^GET .*prefer=hang\nCanceled$/);
    expect([await readColors(), await cancel.count()]).toEqual([[text], 0]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Send");
  });

  test("shows the status in a small window, and each response from its top", async ({ visit }) => {
    const page = await visit({ problems: [] });
    await page.setViewportSize({ width: 320, height: 256 });
    await send(page, "");
    const panel = page.locator(".response");
    await panel.evaluate((element) => element.scrollTo(0, 999));
    await page.getByLabel("prefer (query)").fill("hang");
    await page.getByRole("button", { name: "Send" }).click();
    await waitForStatus(page.getByRole("form"), /^Waiting for the response$/);
    const { top, bottom } = await page
      .locator("#try [role=status]")
      .evaluate((element) => element.getBoundingClientRect());
    expect([Math.round(top) >= 0, Math.round(bottom) <= 256]).toEqual([true, true]);
    expect(await panel.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test("shows a slow body while it arrives", async ({ visit }) => {
    const page = await visit();
    const text = await send(page, "body=slow,delay=10000", /^200 OK, the body is arriving · applied: /);
    expect(text).toContain('\n\n{"count":');
    expect(text, "a part of the body").not.toMatch(/\]\s*\}$/);
    await waitForStatus(page.getByRole("form"), /^200 OK · applied: /);
    expect(await readText(page)).toMatch(/\n {2}\]\n\}$/);
  });
});
