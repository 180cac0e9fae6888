import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInstance, createMemoryService, ORIGIN } from "./memory-service.ts";
import { makeRecords } from "./records/sample.ts";
import { extractText, IN_BROWSER } from "./site/html-view.ts";

const PATH = "/api/tf1/records/";
const MAX_PAGE = "600479950316065";
/** The parameters that links add. */
const ADDED = `&format=json&page=${MAX_PAGE}&prefer=none&jump-date=2000-01-01`;
const LONG_ORIGIN = { PUBLIC_ORIGIN: `https://${"a".repeat(60)}.example` };

const { store } = await createMemoryService(makeRecords(100));
const open = (settings = {}) => createInstance(store, { settings }).fetch;

describe("a URL", () => {
  const [withSlash, withoutSlash] = [`${ORIGIN}${PATH}?x=`, `${ORIGIN}${PATH.slice(0, -1)}?x=`];
  const repeat = (parameter: string, count: number) => `${withSlash}${`&${parameter}`.repeat(count - 1)}`;

  test.each<[string, string, number, object?]>([
    ["whose longest link has 2048 characters", withSlash.padEnd(2_048 - ADDED.length, "x"), 200],
    ["whose longest link has 2049 characters", withSlash.padEnd(2_049 - ADDED.length, "x"), 414],
    ["with a long PUBLIC_ORIGIN", withSlash.padEnd(2_000 - ADDED.length, "x"), 414, LONG_ORIGIN],
    ["that has 2048 characters, and short links", withSlash.padEnd(2_048, "&"), 200],
    ["that has 2049 characters, and short links", withSlash.padEnd(2_049, "&"), 414],
    ["whose links have 51 parameters", repeat("prefer=", 49), 414],
    ["whose own page and format do not count twice", `${repeat("x=", 46)}&page=1&format=api`, 200],
    ["that has 2048 characters with a slash", withoutSlash.padEnd(2_047, "&"), 301],
    ["that has 2049 characters with a slash", withoutSlash.padEnd(2_048, "&"), 414],
  ])("%s", async (_, url, status, settings) => expect((await open(settings)(url)).status).toBe(status));
});

/** Lists the URLs that a client can follow: the links of a page, and the links and forms of its HTML view. */
function listLinks(body: string, isHtml: boolean): string[] {
  if (!isHtml) {
    const { next, previous } = JSON.parse(body);
    // A later page of the walk has a longer number.
    return [next, next?.replace(/([?&]page=)\d+/, `$1${MAX_PAGE}`), previous].filter(Boolean);
  }
  const hrefs = body.matchAll(/href="(https:[^"]*)"/g).map(([, url]) => extractText(url!));
  const forms = body.matchAll(/<form class="row" action="([^"]*)".*?<\/form>/gs).map(([form, action]) => {
    const inputs = Array.from(form.matchAll(/<input [^>]*?name="([^"]*)"(?: value="([^"]*)")?/g));
    const query = new URLSearchParams();
    for (const [, name = "", value = ""] of inputs)
      query.append(extractText(name), name === "page" ? MAX_PAGE : extractText(value));
    return `${action}?${query}`;
  });
  return [...hrefs, ...forms];
}

describe("each link of an accepted request is accepted:", () => {
  const parameters = "&page=7 &page= &date= &prefer= &format=json &format= &jump-date=2000-01-01".split(" ");
  const part = fc.constantFrom("x", "%61", ",", "é", "&", "=", ...parameters);
  const many = fc
    .tuple(part, fc.constantFrom(300, 600, 1_900, 2_000))
    .map(([part, length]) => part.repeat(length / part.length));
  const almostMax = fc
    .tuple(fc.constantFrom(...parameters), fc.integer({ min: 44, max: 50 }))
    .map(([part, count]) => part.repeat(count));
  const few = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(""));
  const fill = fc.integer({ min: 1_850, max: 2_010 }).map((length) => "y".repeat(length));
  const none = fc.constant("");
  const page = fc.constantFrom("", "page=1&", "page=2&", "page=last&", "page=99&");
  const query = fc
    .tuple(page, fc.constant("x="), fc.oneof(many, almostMax, few, none), few, fc.oneof(none, fill))
    .map((parts) => parts.join(""));
  const path = fc.constantFrom(`${PATH}?`, `${PATH}?`, `${PATH.slice(0, -1)}?`, "/go?date=2019-05-17&");

  test.each([
    ["JSON", {}],
    ["JSON", LONG_ORIGIN],
    ["HTML", {}],
    ["HTML", { ...LONG_ORIGIN, PREFER: "delay=0" }],
  ])("%s with the settings %j", async (format, settings) => {
    const fetch = open(settings);
    const isHtml = format === "HTML";
    const getLinks = async (response: Response) => {
      const location = response.headers.get("location");
      if (location !== null) return [location.replace(/#.*/, "")];
      return response.ok || isHtml ? listLinks(await response.text(), isHtml) : [];
    };
    const follow = async (url: string, depth = 0) => {
      const response = await fetch(url, isHtml ? IN_BROWSER : {});
      const isAccepted = response.status !== 414;
      if (depth > 0) expect(isAccepted, url).toBe(true);
      if (depth < 2 && isAccepted) for (const link of await getLinks(response)) await follow(link, depth + 1);
    };
    const request = fc.asyncProperty(path, query, (path, query) => follow(path + query));
    await fc.assert(request, { numRuns: isHtml ? 100 : 300 });
  });
});
