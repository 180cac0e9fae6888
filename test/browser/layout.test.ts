import { inject } from "vitest";
import { openDetails, openPage, SITE_PAGES } from "./pages.ts";
import { expect, test } from "./visit.ts";

const RECORDS = "/api/tf1/records/";
const RECORD_PAGES = SITE_PAGES.filter(({ name }) => ["records", "records-extreme"].includes(name));

test.for(RECORD_PAGES)("$name shows all fields in every window", async (sitePage, { visit }) => {
  const page = await openPage(visit, sitePage);
  const right = (part: string) =>
    page.locator(part).evaluate((one) => Math.round(one.getBoundingClientRect().right));
  const count = (part: string) => page.locator(part).filter({ visible: true }).count();
  for (const width of [320, 360, 704, 1151, 1152, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await right("table"), `${width} pixels`).toBeLessThanOrEqual(await right("main"));
    for (const part of ["th time", ".camera_ref", ".health", ".camera_pk", ".id", ".model_name"])
      expect(await count(`tbody ${part}`), `${part}, ${width} pixels`).toBe(15);
    // A narrow window has a card for each record, without most zeros, and a wide one has a table.
    const isTable = width >= 1152;
    expect(await count("thead th")).toBe(12);
    const cells = await page.getByRole("cell").filter({ visible: true }).count();
    expect(cells === 15 * 11, `table, ${width} pixels`).toBe(isTable);
    expect((await count("tr:not(.all-zero) .zero")) > 0, `zeros, ${width} pixels`).toBe(isTable);
    expect(await count(".all-zero .zero")).toBe(6 * (await count(".all-zero")));
    expect(await count("tbody .number:not(.zero)")).toBeGreaterThan(35);
  }
});

test("an hour between two gaps has a visible mark in the chart", async ({ visit }) => {
  const page = await visit({ origin: inject("collections").one });
  await page.goto("/");
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    const mark = await page.locator(".plot .weekdays").boundingBox();
    expect(Math.min(mark!.width, mark!.height), `${width} pixels`).toBeGreaterThan(6);
  }
});

test("a jump to a date scrolls to its row, below the headings", async ({ visit }) => {
  const page = await visit({ viewport: { width: 1280, height: 400 } });
  await page.goto("/go?date=2025-10-30");
  const top = async (part: string) => (await page.locator(part).first().boundingBox())?.y;
  expect(await top(":target")).toBeGreaterThan((await top("thead th"))!);
  expect(await top(":target")).toBeLessThan(200);
});

test("disabled buttons and the current page are visible with forced colors", async ({ visit }) => {
  const page = await visit({ forcedColors: "active" });
  await page.goto(RECORDS);
  const colors = await page
    .locator("nav.row .button")
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).borderColor));
  expect(colors[0]).not.toBe(colors[2]);
  const current = page.locator("[aria-current]");
  expect(await current.evaluate((one) => getComputedStyle(one).borderBottomWidth)).toBe("3px");
});

test("the lines of the chart are visible and different in every color scheme and in print", async ({
  visit,
}) => {
  const page = await visit({ viewport: { width: 360, height: 800 } });
  await page.goto("/");
  for (const media of [
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { forcedColors: "active" },
    { media: "print", forcedColors: "none" },
  ] as const) {
    await page.emulateMedia(media);
    const lines = await page.locator(".plot :is(.weekdays, .weekends)").evaluateAll((all) =>
      all.map((line) => {
        const { stroke, strokeDasharray } = getComputedStyle(line);
        const { width, height } = line.getBoundingClientRect();
        return { stroke, strokeDasharray, isDrawn: width > 200 && height > 60 };
      }),
    );
    expect(lines).toMatchObject([
      { strokeDasharray: "5px, 5px", isDrawn: true },
      { strokeDasharray: "none", isDrawn: true },
    ]);
    const panel = page.locator(".chart .panel");
    const background = await panel.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(lines.map(({ stroke }) => stroke)).not.toContain(background);
  }
});

test.for(["/", "/docs", RECORDS])("nothing on %s moves when its scripts run", async (path, { visit }) => {
  const measure = async (width: number, javaScriptEnabled: boolean) => {
    const page = await visit({ viewport: { width, height: 900 }, javaScriptEnabled });
    await page.goto(path);
    await openDetails(page);
    return page
      .locator("body *:not(.code > :not(pre))")
      .evaluateAll((all) =>
        all.map((one) => `${one.tagName} ${JSON.stringify(one.getBoundingClientRect())}`),
      );
  };
  for (const width of [360, 1280]) expect(await measure(width, true)).toEqual(await measure(width, false));
});
