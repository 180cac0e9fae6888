import { expect, test } from "vitest";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER } from "../support/html-view.ts";
import { createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** More than nine pages, so that page numbers become longer. */
const { store } = await createMemoryService(makeRecords(200));

const PUBLIC_ORIGIN = `https://${"counts.".repeat(34)}example`;

/** Finds the URLs that the forms of a page open. */
function findForms(html: string): string[] {
  return Array.from(html.matchAll(/<form[^>]* action="([^"]*)".*?<\/form>/gs), ([form, action]) => {
    const inputs = form.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g);
    const values = Array.from(inputs, ([, name, value]) => [extractText(name!), extractText(value!)]);
    return `${action}?${new URLSearchParams(values)}`;
  });
}

test.each<[what: string, start: string, repeated: string, settings: object]>([
  ["encoding does not change", `${PATH}?q=`, "y", {}],
  ["encoding makes longer", `${PATH}?page=9&q=`, "~", { PUBLIC_ORIGIN }],
  ["encoding makes shorter", `${PATH}?q=`, "%7A", {}],
  ["encoding replaces", `${PATH}?page=last&q=`, "%ff", {}],
  ["are many parameters", `${PATH}?page=9`, "&=", {}],
  ["are values that do not count", `${PATH}?q=1`, "&page=2", {}],
  ["are the value of the format", `${PATH}?page=9&format=json&format=`, "0", {}],
  ["are removed with the faults", `${PATH}?page=9&prefer=delay=0&q=`, "y", {}],
  ["are in a jump to a day", "/go?date=2019-05-17&q=", "~", { PUBLIC_ORIGIN }],
  ["are parameters of a jump", "/go?format=json&date=2019-05-17", "&a", {}],
])("every link and form of the longest accepted URL is accepted, if its characters %s", async (...row) => {
  const [, start, repeated, settings] = row;
  const { fetch } = createInstance(store, { settings });
  const getUrl = (count: number) => ORIGIN + start + repeated.repeat(count);
  let [accepted, rejected] = [0, 9_000];
  while (rejected - accepted > 1) {
    const count = Math.floor((accepted + rejected) / 2);
    if ((await fetch(getUrl(count))).status === 414) rejected = count;
    else accepted = count;
  }
  const url = getUrl(accepted);
  const html = await fetch(url, IN_BROWSER);
  const text = await html.text();
  const { next, previous } = Object(await (await fetch(url)).json().catch(() => ({})));
  const links = [next, previous, html.headers.get("location"), ...findLinks(text), ...findForms(text)];
  for (const link of links.filter((link) => typeof link === "string")) {
    const { pathname, search } = new URL(link, url);
    expect([link, (await fetch(pathname + search, IN_BROWSER)).status]).not.toContain(414);
  }
});
