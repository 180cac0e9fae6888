import fc from "fast-check";
import { expect, test } from "vitest";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER } from "../support/html-view.ts";
import { createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** More than nine pages, so that page numbers become longer. */
const { store } = await createMemoryService(makeRecords(200));

const LONG_ORIGIN = `https://${"counts.".repeat(60)}example`;

/** Texts that a query repeats. Links encode or drop some of them. */
const UNITS = [
  "y",
  "~",
  "%7E",
  "%",
  "%E",
  "%ff",
  "é",
  "+",
  "'",
  "&",
  "x&",
  "~&",
  "=&",
  "&page=2",
  "&page=~",
  "&format=~",
  "0",
  "&prefer=",
  "&jump-date=1",
];

const queries = fc.record({
  start: fc.constantFrom(
    "",
    "format=json",
    "page=9",
    "prefer=delay=0",
    "date=2025-01-01",
    "jump-date=2019-05-17",
    "page=",
  ),
  unit: fc.constantFrom(...UNITS),
  end: fc.constantFrom("", "&page=last", "&page=009", "&z"),
});

/** Finds the URLs that the forms of a page open. */
function findForms(html: string): string[] {
  return Array.from(html.matchAll(/<form[^>]* action="([^"]*)".*?<\/form>/gs), ([form, action]) => {
    const inputs = form.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g);
    const values = Array.from(inputs, ([, name, value]) => [extractText(name!), extractText(value!)]);
    return `${action}?${new URLSearchParams(values)}`;
  });
}

test.each([
  ["the request", ORIGIN, {}],
  ["a short PUBLIC_ORIGIN", LONG_ORIGIN, { PUBLIC_ORIGIN: "https://a.example" }],
  ["a long PUBLIC_ORIGIN", ORIGIN, { PUBLIC_ORIGIN: LONG_ORIGIN }],
  ["a PUBLIC_ORIGIN with faults", ORIGIN, { PUBLIC_ORIGIN: LONG_ORIGIN, PREFER: "delay=0" }],
])(
  "every link of the longest accepted URL is accepted, with the origin of %s",
  async (_, origin, settings) => {
    const { fetch } = createInstance(store, { settings });
    const follow = (url: string, init?: RequestInit) =>
      fetch(origin + url.slice(new URL(url).origin.length), init);
    const getStatus = async (url: string) => (await follow(url, IN_BROWSER)).status;

    await fc.assert(
      fc.asyncProperty(queries, fc.constantFrom(PATH, PATH.slice(0, -1), "/go"), async (query, path) => {
        const getUrl = (count: number) =>
          `${origin}${path}?${query.start}&q=${query.unit.repeat(count)}${query.end}`;
        const isAccepted = async (count: number) => (await fetch(getUrl(count))).status !== 414;
        let [accepted, rejected] = [0, 9_000];
        while (rejected - accepted > 1) {
          const count = Math.floor((accepted + rejected) / 2);
          if (await isAccepted(count)) accepted = count;
          else rejected = count;
        }
        const url = getUrl(accepted);
        const json = await fetch(url);
        const html = await fetch(url, IN_BROWSER);
        const text = await html.text();
        const { next, previous } = json.status === 200 ? Object(await json.json()) : {};
        const links = [next, previous, html.headers.get("location"), ...findLinks(text), ...findForms(text)];
        for (const link of links.filter((link) => typeof link === "string")) {
          const target = new URL(link, url).href;
          expect([target, await getStatus(target)]).not.toContain(414);
        }
      }),
      { numRuns: 20 },
    );
  },
);

test("the limit leaves nearly all of its characters to the parameters of a request", async () => {
  const { fetch } = createInstance(store);
  const { next } = Object(await (await fetch(`${PATH}?x=${"~".repeat(2_650)}`)).json());
  expect((await fetch(next)).status).toBe(200);
});
