import fc from "fast-check";
import { expect, test } from "vitest";
import { Page } from "../../src/records/record.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { CHROMIUM, PATH } from "../http-suite/exchange.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";

test("a walk of one state returns each record once, even if records are added, from any instance", async () => {
  const counts = fc.oneof(
    fc.integer({ min: 0, max: 80 }),
    fc.integer({ min: 2 * BLOCK_SIZE - 10, max: 2 * BLOCK_SIZE + 40 }),
  );
  const addition = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 }));
  const additions = fc.array(addition, { maxLength: 60 });
  const links = fc.constantFrom("next" as const, "previous" as const);
  const walk = async (count: number, added: number[], link: "next" | "previous") => {
    const records = makeRecords(count + 40 * added.length);
    const service = await createMemoryService(records.slice(0, count));
    const instances = [service, createInstance(service.store), createInstance(service.store)];
    const pages: Page[] = [];
    const first = `${ORIGIN}${PATH}?as_of=latest${link === "next" ? "" : "&page=last"}`;
    for (let url: string | null = first, total = count; url !== null; url = pages.at(-1)?.[link] ?? null) {
      const step = pages.length;
      pages.push(Page.parse(await (await instances[step % 3]!.fetch(url)).json()));
      const more = records.slice(total, total + (added[step] ?? 0));
      if (more.length > 0) total = (await service.append(more)).count;
    }
    expect(new Set(pages.map((page) => page.count))).toEqual(new Set([count]));
    const met = (link === "next" ? pages : pages.toReversed()).flatMap(({ results }) => results);
    expect(met).toEqual(records.slice(0, count).reverse());
  };
  await fc.assert(fc.asyncProperty(counts, additions, links, walk), { numRuns: 60 });
});

test("a page of a state never changes, and a later page of the collection is not one of that state", async () => {
  const records = makeRecords(700);
  const { fetch, append, store } = await createMemoryService(records.slice(0, 100));
  const { load } = await store.readState();
  const target = `${PATH}?as_of=100-${load}&page=7`;
  const before = await (await fetch(target)).text();
  await append(records.slice(100));
  expect(await (await fetch(target)).text()).toBe(before);
  expect((await fetch(target.replace("page=7", "page=8"))).status).toBe(404);
});

test("a state is kept in the links and the form of a page for a browser", async () => {
  const { fetch, store } = await createMemoryService(makeRecords(100));
  const { load } = await store.readState();
  const text = await (await fetch(`${PATH}?as_of=latest`, { headers: { accept: CHROMIUM } })).text();
  expect(text).toContain(`<input type="hidden" name="as_of" value="100-${load}">`);
  expect(text).toContain(`?as_of=100-${load}&amp;format=api&amp;page=2`);
  expect(text).not.toContain("as_of=latest");
});
