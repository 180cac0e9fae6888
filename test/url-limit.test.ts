import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Page } from "../src/records/record.ts";
import { createInstance, createMemoryService, ORIGIN } from "./memory-service.ts";
import { makeRecords } from "./records/sample.ts";
import { extractText, IN_BROWSER } from "./site/html-view.ts";

const PATH = "/api/tf1/records/";
const MAX_PAGE = "600479950316065";
/** What the longest link adds to a query. */
const ADDED = `&format=json&page=${MAX_PAGE}&prefer=none&jump-date=2000-01-01`;

const { store } = await createMemoryService(makeRecords(100));
const open = (settings = {}) => createInstance(store, { settings }).fetch;

describe("a URL", () => {
  const start = `${ORIGIN}${PATH}?x=`;
  const xs = (count: number) => Array(count).fill("x=").join("&");

  test.each<[string, string, number]>([
    ["whose longest link has 2048 characters", start.padEnd(2_048 - ADDED.length, "x"), 200],
    ["whose longest link has 2049 characters", start.padEnd(2_049 - ADDED.length, "x"), 414],
    ["that has 2049 characters, and short links", `${start}&x=`.padEnd(2_049, "&"), 414],
    ["whose links encode its characters", `${start}${",".repeat(650)}`, 414],
    ["whose links have 50 parameters", `${ORIGIN}${PATH}?${xs(46)}`, 200],
    ["whose links have 51 parameters", `${ORIGIN}${PATH}?${xs(47)}`, 414],
    ["whose own page and format do not count twice", `${ORIGIN}${PATH}?${xs(46)}&page=1&format=api`, 200],
    ["without a slash at its end", `${ORIGIN}${PATH.slice(0, -1)}?${"%61".repeat(667)}`, 301],
    [
      "that is too long with a slash at its end",
      `${ORIGIN}${PATH.slice(0, -1)}?${"%61".repeat(668)}`.padEnd(2_048, "&"),
      414,
    ],
  ])("%s: %#", async (_, url, status) => expect((await open()(url)).status).toBe(status));

  test("whose links have a long PUBLIC_ORIGIN", async () => {
    const PUBLIC_ORIGIN = `https://${"a".repeat(60)}.example`;
    expect((await open({ PUBLIC_ORIGIN })(start.padEnd(2_000 - ADDED.length, "x"))).status).toBe(414);
  });
});

/** The links of a page in JSON, and the links and forms of its HTML view. */
function listLinks(text: string, isHtml: boolean): string[] {
  const { next, previous }: Partial<Page> = isHtml ? {} : JSON.parse(text);
  const hrefs = Array.from(text.matchAll(/href="(https:[^"]*)"/g), ([, url]) => extractText(url!));
  const forms = Array.from(
    text.matchAll(/<form class="row" action="([^"]*)".*?<\/form>/gs),
    ([form, action]) => {
      const inputs = Array.from(form.matchAll(/<input [^>]*>/g), ([input]) => {
        const [name = "", value = ""] = ["name", "value"].map(
          (key) => new RegExp(` ${key}="([^"]*)"`).exec(input)?.[1],
        );
        return [name, name === "page" ? MAX_PAGE : extractText(value)] as [string, string];
      });
      return `${action}?${new URLSearchParams(inputs)}`;
    },
  );
  // A later page of the walk has a longer number.
  const later = next?.replace(/([?&]page=)\d+/, `$1${MAX_PAGE}`);
  return [next, later, previous, ...hrefs, ...forms].filter((url) => typeof url === "string");
}

describe("each link of a response that the service accepted is accepted too:", () => {
  const character = fc.constantFrom(
    "x",
    "%61",
    ",",
    "é",
    "&",
    "&a",
    "=",
    "&page=7",
    "&date=",
    "&prefer=",
    "&format=json",
    "&format=",
    "&jump-date=2000-01-01",
  );
  const length = fc.constantFrom(10, 45, 50, 300, 600, 640, 1_900, 1_950, 2_000);
  const many = fc.tuple(character, length).map(([text, count]) => text.repeat(count / text.length));
  const few = fc.array(character, { maxLength: 20 }).map((texts) => texts.join(""));
  const fill = fc.integer({ min: 1_850, max: 2_010 }).map((size) => "y".repeat(size));
  const page = fc.constantFrom("", "page=1&", "page=2&", "page=last&", "page=99&");
  const query = fc
    .tuple(page, fc.oneof(many, few, fc.constant("")), few, fc.oneof(fc.constant(""), fill))
    .map(([page, ...texts]) => `${page}x=${texts.join("")}`);
  const path = fc.constantFrom(PATH, PATH, PATH, PATH.slice(0, -1), "/go");

  test.each([
    ["JSON", {}],
    ["JSON", { PUBLIC_ORIGIN: `https://${"a".repeat(60)}.example` }],
    ["HTML", {}],
    ["HTML", { PUBLIC_ORIGIN: `https://${"a".repeat(60)}.example`, PREFER: "delay=0" }],
  ])("%s with the settings %j", async (format, settings) => {
    const fetch = open(settings);
    const isHtml = format === "HTML";
    const visit = async (url: string) => {
      const response = await fetch(url, isHtml ? IN_BROWSER : {});
      const text = await response.text();
      const { status, headers } = response;
      const location = headers.get("location")?.replace(/#.*/, "");
      if (location) return { status, links: [location] };
      return { status, links: status === 200 || isHtml ? listLinks(text, isHtml) : [] };
    };
    const follow = async (url: string, depth: number): Promise<void> => {
      const { status, links } = await visit(url);
      if (depth > 0) expect(status, url).not.toBe(414);
      if (depth < 2 && status !== 414) for (const link of links) await follow(link, depth + 1);
    };
    await fc.assert(
      fc.asyncProperty(path, query, (path, query) =>
        follow(`${path}?${path === "/go" ? "date=2019-05-17&" : ""}${query}`, 0),
      ),
      { numRuns: isHtml ? 100 : 300 },
    );
  });
});
