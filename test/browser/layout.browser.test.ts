import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { PATH } from "../support/exchange.ts";
import { listenOnFreePort } from "../support/free-port.ts";
import { openPage, SITE_PAGES } from "./pages.ts";
import { expect, test } from "./visit.ts";

test.for(SITE_PAGES)(
  "nothing on $name moves while it arrives",
  async ({ path, collection, status }, { visit, onTestFinished }) => {
    const { origin, close } = await sendInParts(inject("origins")[collection]);
    onTestFinished(close);
    for (const width of [1280, 390]) {
      const page = await visit(path, { origin, status, viewport: { width, height: 900 } });
      await page.waitForLoadState("networkidle");
      const shifts = await page.evaluate(async () => {
        const entries: PerformanceEntry[] = [];
        const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        await new Promise((resolve) => setTimeout(resolve, 100));
        return entries;
      });
      expect(shifts, `${width} pixels`).toEqual([]);
    }
  },
);

/** Serves a service as over a slow connection: an HTML page arrives in 60 parts, cut before tags, which the browser can show one by one. */
function sendInParts(target: string) {
  const server = createServer(async ({ url, headers: { accept = "*/*" } }, outgoing) => {
    const response = await fetch(target + url, { headers: { Accept: accept } });
    const type = response.headers.get("Content-Type") ?? "";
    outgoing.writeHead(response.status, { "Content-Type": type });
    const tags = (await response.text()).split(/(?=<)/);
    const size = type.startsWith("text/html") ? Math.ceil(tags.length / 60) : tags.length;
    for (let start = 0; start < tags.length; start += size) {
      outgoing.write(tags.slice(start, start + size).join(""));
      await sleep(20);
    }
    outgoing.end();
  });
  return listenOnFreePort(server);
}

const RECORD_PAGES = SITE_PAGES.filter(({ name }) => name.startsWith("records"));

test.for(RECORD_PAGES)("$name shows all fields, as a table or as cards", async (sitePage, { visit }) => {
  const page = await openPage(visit, sitePage);
  const right = (part: string) =>
    page.locator(part).evaluate((one) => Math.round(one.getBoundingClientRect().right));
  /** Counts the elements that are larger than a clipped element. */
  const count = (part: string) =>
    page
      .locator(part)
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().width > 1).length);
  // From 1024 pixels on, the records are a table.
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await right("table"), `${width} pixels`).toBeLessThanOrEqual(await right("main"));
    for (const part of ["th time", ".camera_ref", ".health", ".camera_pk", ".id", ".model_name"])
      expect(await count(`tbody ${part}`), `${part}, ${width} pixels`).toBe(15);
    expect(await count("tbody .number:not(.camera_pk, .id)"), `counts, ${width} pixels`).toBe(15 * 6);
    expect(await count("thead"), `${width} pixels`).toBe(width === 1024 ? 1 : 0);
    // Assistive technologies read the cells of a card under the headings of the table.
    const roles = { columnheader: 12, rowheader: 15, cell: 15 * 11 };
    for (const role of ["columnheader", "rowheader", "cell"] as const)
      expect(await page.getByRole(role).count(), `${role}, ${width} pixels`).toBe(roles[role]);
  }
});

test("each value of camera_ok has a color and, with forced colors, a symbol of its own", async ({
  visit,
}) => {
  const page = await visit(PATH, { viewport: { width: 1200, height: 800 } });
  const health = page.locator(".health").first();
  const { x, y, height } = (await health.boundingBox())!;
  const colors = new Set<string>();
  const symbols = new Set<string>();
  for (const value of ["True", "False", "null"]) {
    await health.evaluate((element, value) => element.setAttribute("class", `health health-${value}`), value);
    colors.add(await health.evaluate((element) => getComputedStyle(element, "::before").borderColor));
    await page.emulateMedia({ forcedColors: "active" });
    const image = await page.screenshot({ clip: { x, y, width: 14, height } });
    symbols.add(image.toString("base64"));
    await page.emulateMedia({ forcedColors: "none" });
  }
  expect([colors.size, symbols.size]).toEqual([3, 3]);
  const rows = page.locator("tbody tr");
  await rows.first().evaluate((row) => row.classList.add("failing"));
  const backgrounds = rows.evaluateAll((all) => all.map((row) => getComputedStyle(row).backgroundColor));
  expect(new Set(await backgrounds).size, "the row of a failing camera").toBe(2);
});

test("a jump to a date scrolls to its row, below the headings", async ({ visit }) => {
  const page = await visit("/go?date=2025-10-30", { viewport: { width: 1200, height: 400 } });
  const top = async (part: string) => (await page.locator(part).first().boundingBox())?.y;
  expect(await top(":target")).toBeGreaterThan((await top("thead th"))!);
  expect(await top(":target")).toBeLessThan(200);
});

test.for([
  { colorScheme: "light" },
  { colorScheme: "dark" },
  { forcedColors: "active" },
  { media: "print" },
] as const)("with %j, the lines of the chart are visible and different", async (media, { visit }) => {
  const page = await visit("/", { viewport: { width: 390, height: 800 } });
  await page.emulateMedia(media);
  const lines = await page.locator(".plot :is(.weekdays, .weekends)").evaluateAll((all) =>
    all.map((line) => {
      const { stroke, strokeDasharray } = getComputedStyle(line);
      const { width, height } = line.getBoundingClientRect();
      return { stroke, strokeDasharray, isDrawn: width > 200 && height > 60 };
    }),
  );
  expect(lines.map(({ isDrawn }) => isDrawn)).toEqual([true, true]);
  expect(lines.map(({ strokeDasharray }) => strokeDasharray)).toEqual(["5px, 5px", "none"]);
  const panel = page.locator("figure.panel");
  const background = await panel.evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(lines.map(({ stroke }) => stroke)).not.toContain(background);
});

test.for([1280, 390])("at %i pixels, each change is visible without a click", async (width, { visit }) => {
  const page = await visit(`${PATH}?page=3&prefer=rows=repeat,count=%2B1,next=skip,record=missing,seed=4`, {
    viewport: { width, height: 844 },
  });
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
