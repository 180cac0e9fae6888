import { expect, test } from "vitest";
import { PATH } from "../support/exchange.ts";
import { findLinks, IN_BROWSER, MARKUP } from "../support/html-view.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** The references of the cameras are markup. */
const markup = (index: number) => ({ camera_ref: MARKUP[index % MARKUP.length]! });
const records = makeRecords(100).map((record, index) => ({ ...record, ...markup(index) }));
const { fetch } = await createMemoryService(records);

/** All markup in one string. Each part would escape from a different place in a page. */
const text = encodeURIComponent(MARKUP.join(" "));

// biome-ignore format: a table of cases
test.each([
  "/", PATH, `${PATH}?x=TEXT&page=2`, `${PATH}?TEXT=1&page=last`, `${PATH}?page=TEXT`, `${PATH}?page=0&x=TEXT&TEXT=x`,
  `${PATH}?format=TEXT`, `${PATH}?prefer=TEXT`, "/TEXT", `${PATH}TEXT/?TEXT`, "/?TEXT=TEXT",
])("text of a request or of a record never becomes markup: %s", async (path) => {
  const page = await (await fetch(path.replaceAll("TEXT", text), IN_BROWSER)).text();
  expect(page).toMatch(/^<!doctype html>.*<\/html>$/s);
  expect(page).not.toMatch(/<\w+ class=injected/);
  expect(findLinks(page).filter((url) => url.startsWith("javascript:"))).toEqual([]);
});
