import { openDetails, openPage, RECORDS, SITE_PAGES } from "./pages.ts";
import { expect, test } from "./visit.ts";

const RECORD_PAGES = SITE_PAGES.filter(({ name }) => name.startsWith("records"));

test.for(RECORD_PAGES)("$name shows all fields, as a table or as cards", async (sitePage, { visit }) => {
  const page = await openPage(visit, sitePage);
  const right = (part: string) =>
    page.locator(part).evaluate((one) => Math.round(one.getBoundingClientRect().right));
  const count = (part: string) => page.locator(part).filter({ visible: true }).count();
  for (const width of [390, 1200]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await right("table"), `${width} pixels`).toBeLessThanOrEqual(await right("main"));
    for (const part of ["th time", ".camera_ref", ".health", ".camera_pk", ".id", ".model_name"])
      expect(await count(`tbody ${part}`), `${part}, ${width} pixels`).toBe(15);
    expect(await count("thead th")).toBe(12);
    // A card has no zeros, unless all its counts are zeros.
    expect((await count("tr:not(.all-zero) .zero")) > 0, `zeros, ${width} pixels`).toBe(width === 1200);
    expect(await count(".all-zero .zero")).toBe(6 * (await count(".all-zero")));
  }
});

test("a jump to a date scrolls to its row, below the headings", async ({ visit }) => {
  const page = await visit({ viewport: { width: 1200, height: 400 } });
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

test.for([
  { colorScheme: "light" },
  { colorScheme: "dark" },
  { forcedColors: "active" },
  { media: "print" },
] as const)("with %j, the lines of the chart are visible and different", async (media, { visit }) => {
  const page = await visit({ viewport: { width: 390, height: 800 } });
  await page.goto("/");
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
});

test.for([
  ["/", 390],
  ["/", 1200],
  [RECORDS, 390],
  [RECORDS, 1200],
  // At 390 pixels, the command can have more lines when a script has added its origin.
  ["/docs", 1200],
] as const)("nothing on %s moves at %i pixels when its scripts run", async ([path, width], { visit }) => {
  const measure = async (javaScriptEnabled: boolean) => {
    const page = await visit({ viewport: { width, height: 900 }, javaScriptEnabled });
    await page.goto(path);
    await openDetails(page);
    return page
      .locator("body *:not(.code > :not(pre), .code code)")
      .evaluateAll((all) =>
        all.map((one) => `${one.tagName} ${JSON.stringify(one.getBoundingClientRect())}`),
      );
  };
  expect(await measure(true)).toEqual(await measure(false));
});
