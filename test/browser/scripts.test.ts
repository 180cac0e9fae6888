import type { Locator, Page } from "@playwright/test";
import { describe } from "vitest";
import { openDetails } from "./pages.ts";
import { expect, follow, test } from "./visit.ts";

/** Waits until the only status in a part of the page has a text. */
function waitForStatus(part: Locator, text: RegExp): Promise<void> {
  return expect.poll(() => part.getByRole("status").textContent()).toMatch(text);
}

describe("copy buttons", () => {
  test("copy the text of their code block", async ({ visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    for (const [path, count] of [
      // The URL, two commands and two scripts.
      ["/", 5],
      ["/docs", 1],
      ["/api/tf1/records/", 1],
    ] as const) {
      await page.goto(path);
      await openDetails(page);
      const blocks = await page.locator(".code").all();
      expect(blocks).toHaveLength(count);
      for (const block of blocks) {
        await block.getByRole("button", { name: /^Copy: / }).click();
        await waitForStatus(block, /^Copied$/);
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
          await block.locator("code").textContent(),
        );
      }
    }
  });

  test("show the result for two seconds after the last click", async ({ visit }) => {
    const page = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.clock.install({ time: 0 });
    await page.goto("/");
    await page.clock.pauseAt(3_600_000);
    const block = page.locator(".code").first();
    for (let click = 0; click < 2; click++) {
      await block.getByRole("button").click();
      await waitForStatus(block, /^Copied$/);
      await page.clock.runFor(1_500);
    }
    await waitForStatus(block, /^Copied$/);
    await page.clock.runFor(1_000);
    await waitForStatus(block, /^$/);
  });

  test("select the text if the clipboard is not allowed", async ({ visit }) => {
    const page = await visit();
    await page.context().grantPermissions([]);
    await page.goto("/");
    await openDetails(page);
    const block = page.locator(".code", { has: page.getByRole("button", { name: "Copy: Python" }) });
    await block.getByRole("button").click();
    await waitForStatus(block, /^Selected$/);
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(
      await block.locator("code").textContent(),
    );
  });
});

/** Fills the form of the API reference, and returns a function that clicks one of its buttons. */
async function fillForm(page: Page, number: string, prefer: string) {
  await page.goto("/docs");
  await page.getByLabel("page").fill(number);
  await page.getByLabel("prefer").fill(prefer);
  return (button: string) => page.getByRole("button", { name: button }).click();
}

test("without scripts, the form opens the JSON response or the HTML view", async ({ visit }) => {
  const page = await visit({ javaScriptEnabled: false });
  const prefer = "delay=20-80,retry-after=date";
  let press = await fillForm(page, "3", prefer);
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

describe("the form of the API reference", () => {
  /** Sends a request, and returns the complete response as the page shows it. */
  async function send(page: Page, prefer: string, summary: RegExp): Promise<string> {
    const press = await fillForm(page, "3", prefer);
    await press("Send");
    await waitForStatus(page.getByRole("form"), summary);
    return (await page.locator(".response pre").filter({ visible: true }).textContent()) ?? "";
  }

  test("shows the response, and a command that repeats the request", async ({ visit }) => {
    const page = await visit();
    const text = await send(page, "delay=200", /^200 OK, [\d,]+ ms$/);
    expect(text).toMatch(/^GET .*\?page=3&prefer=delay%3D200\n\nHTTP 200 OK\n/);
    expect(text).toContain("\nContent-Type: application/json\n");
    const { previous, results } = JSON.parse(text.slice(text.indexOf("\n{")));
    expect(results).toHaveLength(15);
    expect(previous).toMatch(/format=api&page=2&prefer=delay%3D200$/);
    expect(new URL(page.url()).pathname).toBe("/docs");
    const command = page.locator(".code code").first();
    expect(await command.textContent()).toMatch(
      /^curl -si 'http:.*\/api\/tf1\/records\/\?page=3&prefer=delay%3D200'$/,
    );
    await page.getByLabel("page").fill("");
    await page.getByLabel("prefer").fill("");
    expect(await command.textContent()).toMatch(/\/records\/'$/);
    await follow(page, () => page.getByRole("button", { name: "Open as HTML" }).click());
    expect(new URL(page.url()).pathname).toBe("/api/tf1/records/");
  });

  test("does not move while a response is delayed or replaces the previous one", async ({ visit }) => {
    const page = await visit();
    await send(page, "delay=0", /^200 OK/);
    const panel = page.locator(".response").filter({ visible: true });
    const before = await panel.boundingBox();
    const held = Promise.withResolvers<void>();
    await page.route("**/records/*", (route) => held.promise.then(() => route.continue()));
    await page.getByLabel("prefer").fill("delay=1");
    await page.getByRole("button", { name: "Send" }).click();
    await waitForStatus(page.getByRole("form"), /^Waiting for the response$/);
    expect([await panel.boundingBox(), await panel.textContent()]).toEqual([
      before,
      expect.stringContaining("Preference-Applied: delay=0"),
    ]);
    held.resolve();
    await expect.poll(() => panel.textContent()).toContain("Preference-Applied: delay=1\n");
    expect(await panel.boundingBox()).toEqual(before);
  });

  test("shows an error with an invalid body", async ({ visit }) => {
    const page = await visit({ problems: [expect.stringContaining("status of 503")] });
    const text = await send(page, "code=503,body=garbage", /^503 Service Unavailable, /);
    expect(text).toMatch(/\nRetry-After: 2\n(.+\n)*\n\{"count": 1, .*<not json>$/);
  });

  test("shows the headers of a response whose connection fails", async ({ visit }) => {
    const problems = expect.arrayContaining([expect.stringContaining("failed request")]);
    const text = await send(await visit({ problems }), "body=cut", /^The connection failed$/);
    expect(text).toContain("\nPreference-Applied: body=cut\n");
    expect(text).toMatch(/The connection failed: TypeError/);
  });
});
