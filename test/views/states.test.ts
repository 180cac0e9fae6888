import { describe, expect, test, vi } from "vitest";
import { isOptionName } from "../../src/faults/option-table.ts";
import { Page, type TrafficRecord } from "../../src/records/schema.ts";
import { NO_STATISTICS } from "../../src/store/stored-statistics.ts";
import { createCodeSamples } from "../../src/views/home/code-samples.ts";
import type { Period, Summary } from "../../src/views/home/summary.ts";
import { formatMean, formatNumber, formatShare } from "../../src/views/text-format.ts";
import { renderReference } from "../../tools/reference/reference-page.tsx";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER } from "../support/html-view.ts";
import { type Instance, ORIGIN } from "../support/memory-service.ts";
import { createStatistics } from "../support/sample-records.ts";
import { openState, STATES, type State } from "./states.ts";

const reference = renderReference();

/** The paths of static files, which the service in memory does not have. */
const FILES = /^\/(?:openapi\.json|LICENSE|seed\.csv\.gz|assets\/.*)$/;

interface Visited {
  url: URL;
  status: number;
  text: string;
  /** The options that had an effect. */
  applied: string;
}

/** Opens a URL as a browser does: follows redirects, waits as long as a fault takes, and reads what arrives. */
async function visit({ fetch }: Instance, target: string | URL): Promise<Visited> {
  const url = new URL(target, ORIGIN);
  if (url.pathname === "/docs") return { url, status: 200, text: reference, applied: "" };
  if (FILES.test(url.pathname)) return { url, status: 200, text: "", applied: "" };
  const read = async () => {
    // A public name leads to the same service.
    const response = await fetch(url.pathname + url.search, IN_BROWSER);
    const text = await response.text().catch(() => "closed");
    return { status: response.status, headers: response.headers, text };
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const reading = read();
  await vi.advanceTimersByTimeAsync(70_000);
  vi.useRealTimers();
  const { status, headers, text } = await reading;
  const location = headers.get("location");
  if (location !== null) return visit({ fetch } as Instance, new URL(location, url));
  return { url, status, text, applied: headers.get("preference-applied") ?? "" };
}

/** Lists the URLs of links and commands, and those that forms open if nobody changes their fields. */
function listTargets({ url, text }: Visited): URL[] {
  const commands = Array.from(text.matchAll(/<code>curl .*?&#39;(.*?)&#39;/g), ([, one = ""]) =>
    extractText(one),
  );
  const forms = Array.from(
    text.matchAll(/<form.*? action="(.*?)".*?>(.*?)<\/form>/gs),
    ([, action, fields = ""]) => {
      const inputs = fields.matchAll(/<input[^>]* name="([^"]*)"(?:[^>]* value="([^"]*)")?/g);
      const values = Array.from(inputs, ([, name = "", value = ""]) => [name, value].map(extractText));
      return `${action}?${new URLSearchParams(values)}`;
    },
  );
  return Array.from(new Set([...findLinks(text), ...commands, ...forms]), (target) => new URL(target, url));
}

/** What a URL asks for, whatever its format. */
function getRequest({ pathname, searchParams }: URL): string {
  const parameters = [...searchParams].filter(([name, value]) => name !== "format" && value !== "");
  return `${pathname}?${new URLSearchParams(parameters.sort())}`;
}

/** How the target of a page differs from what the page promises. */
function findProblem(state: State, page: Visited, target: Visited): string | undefined {
  const { url, status, text, applied } = target;
  const hasPlace = url.hash === "" || text.includes(` id="${url.hash.slice(1)}"`);
  const kind = classify(state, page.url, url);
  const isRight = {
    same: status === page.status,
    // The response leads out of them.
    defaults: text.includes("prefer=") || text === "closed",
    plain: status < 400 && ["", "none", getGrowth(state)].includes(applied.replaceAll('"', "")),
    off: text.includes('class="banner"'),
    fault: text === "closed" || (explains(target) && (page.url.pathname !== "/" || applied !== "")),
  };
  return hasPlace && isRight[kind] ? undefined : `${kind}: ${status}, applied: ${applied}`;
}

/** Returns the default option `grow`, which is no fault. */
function getGrowth({ settings = {} }: State): string {
  return /grow=[^,]+/.exec(settings.PREFER ?? "")?.[0] ?? "";
}

function classify({ settings: { FAULTS } = {}, prefer }: State, page: URL, url: URL) {
  if (getRequest(url) === getRequest(page)) return "same";
  const asked = url.searchParams.get("prefer") ?? "";
  // Only the navigation and the reference, which are the same everywhere, lead to what a client without options gets.
  const mayHaveDefaults = url.pathname === PATH && (url.search === "" || page.pathname === "/docs");
  if (asked === "" && prefer !== undefined && mayHaveDefaults) return "defaults";
  if (["", "none", prefer].includes(asked)) return "plain";
  return FAULTS === "off" ? "off" : "fault";
}

/** Whether a page explains each option of the first rule, whether it had an effect or not. */
function explains({ url, text }: Visited): boolean {
  const [first = ""] = (url.searchParams.get("prefer") ?? "").split(",else");
  const names = first.split(",").map((option) => option.replace(/=.*/, ""));
  return names.every((name) => !isOptionName(name) || text.includes(`"/docs#fault-${name}"`));
}

/** The pages whose links are followed. */
function listPages({ prefer = "" }: State): string[] {
  const jumps = ["1999-01-01", "x"].map((date) => `/go?date=${date}&prefer=${prefer}`);
  const pages = ["page=1", "page=last", "page=99", "page=x", "format=x", "prefer=cod=503"];
  return ["/", "/docs", "/nowhere", ...jumps, ...pages.map((page) => `${PATH}?${page}&prefer=${prefer}`)];
}

/** Reads the collection that a client gets, newest first. */
async function readCollection({ fetch }: Instance, url: string): Promise<TrafficRecord[]> {
  const records: TrafficRecord[] = [];
  for (let next: string | null = url; next !== null; ) {
    const { pathname, search } = new URL(next, ORIGIN);
    const page: Page = Page.parse(await (await fetch(pathname + search)).json());
    records.push(...page.results);
    next = page.next;
  }
  return records;
}

/** Lists the numbers of a text, without those of dates. */
function listNumbers(text: string): string[] {
  return text.replaceAll(/\d+ \w{3} \d{4}/g, "").match(/(?<![\w.])\d[\d,.]*\b(?!\/)/g) ?? [];
}

/** Describes the days of records as the home page does in JSON. The newest day is partial if more of its records are loaded. */
function describeDays(records: TrafficRecord[], loaded: TrafficRecord[]) {
  const periods = createStatistics(records).days.map(([date, count, failing, unknown, road_users]) => {
    const mean = count === failing ? null : Number((road_users / (count - failing)).toFixed(3));
    const isPartial = count < loaded.filter(({ timestamp }) => timestamp.startsWith(date)).length;
    const known = { failing, unknown, road_users, mean_road_users: mean };
    const nothing = { failing: null, unknown: null, road_users: null, mean_road_users: null };
    return { first: date, last: date, records: count, ...(isPartial ? nothing : known) };
  });
  return periods.reverse();
}

describe.for(STATES)("with $name,", (state) => {
  test("each link, form and command of each page works, and each option is explained", async () => {
    const instance = await openState(state);
    const home = await visit(instance, "/");
    const faults = listTargets(home).filter(({ searchParams }) => searchParams.get("prefer")?.includes("="));
    // A page with a fault shows the collection that the facts describe.
    const growth = getGrowth(state);
    expect(faults.filter(({ searchParams }) => !searchParams.get("prefer")?.includes(growth))).toEqual([]);
    const problems: string[] = [];
    for (const path of [...listPages(state), ...faults]) {
      const page = await visit(instance, path);
      expect(page.text, "a button that only a script can use").not.toContain('<button type="button"');
      const marked = Array.from(page.text.matchAll(/href="(\S+)" aria-current="page"/g), ([, link]) => link);
      expect(marked).toEqual(["/", "/docs", PATH].filter((link) => link === page.url.pathname));
      for (const url of listTargets(page)) {
        // A fault with `times` would be used up.
        const isPage = getRequest(url) === getRequest(page.url) && url.searchParams.get("format") !== "json";
        const problem = findProblem(state, page, isPage ? { ...page, url } : await visit(instance, url));
        if (problem !== undefined) problems.push(`${page.url} -> ${url} is ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  });

  test("the home page in JSON describes the collection that a client gets", async () => {
    const { loaded = [], prefer } = state;
    const instance = await openState(state);
    const json = await (await instance.fetch("/")).json();
    const query = prefer === undefined ? "" : `?${new URLSearchParams({ prefer })}`;
    expect(json.records_url_without_faults).toBe(json.records_url + query);
    const records = await readCollection(instance, json.records_url_without_faults);
    const days = describeDays(records, loaded);
    const { cameras, totals, hours } = loaded.length === 0 ? NO_STATISTICS : createStatistics(loaded);
    expect(json).toMatchObject({
      count: records.length,
      pages: Math.max(1, Math.ceil(records.length / 15)),
      days: days.length,
      first: days.at(-1)?.first ?? null,
      last: days.at(0)?.last ?? null,
      periods: days,
      loaded: { count: loaded.length, cameras, totals, hours },
    });
  });

  test("the home page has the numbers of its JSON, and samples that read the collection", async () => {
    const instance = await openState(state);
    const { text } = await visit(instance, "/");
    const summary: Summary = await (await instance.fetch("/")).json();
    const { count, days, periods, loaded, grow, records_url_without_faults: url } = summary;
    const rows = Array.from(text.matchAll(/<th scope="row">.*?<\/th>(.*?)<\/tr>/g), ([, cells = ""]) =>
      Array.from(cells.matchAll(/>([^<]+)</g), ([, cell]) => cell),
    );
    expect(rows).toEqual(periods.map(formatRow));
    const folded = /<summary>(.*) earlier days</.exec(text)?.[1] ?? "0";
    expect(folded).toBe(formatNumber(Math.max(0, days - 12)));
    const isWhole = count === loaded.count;
    const isCounted = Object.values(loaded.totals).some((total) => total > 0);
    expect(text.includes("<figcaption><b>Road users per record")).toBe(isCounted && isWhole);
    expect(text.includes("No road users were counted")).toBe(count > 0 && isWhole && !isCounted);
    const hasFaults = state.prefer !== undefined;
    expect(text.includes(", and avoid the default faults")).toBe(hasFaults);
    expect(text.includes("This deployment applies")).toBe(hasFaults || grow !== null);
    for (const code of Object.values(createCodeSamples(url))) expect(extractText(text)).toContain(code);
    if (count === 0) return expect(text).not.toMatch(/<table|curl -s /);
    const [, contents = ""] = /<p class="lead">.*?<\/p><p>(.*?)<\/p>/s.exec(text) ?? [];
    const facts = [
      count,
      summary.pages,
      isWhole ? loaded.cameras : loaded.count,
      ...(days > 1 ? [days] : []),
    ];
    expect(new Set(listNumbers(extractText(contents)))).toEqual(new Set(facts.map(formatNumber)));
    const [, command = ""] = /curl -s &#39;(.*?)&#39;/.exec(text) ?? [];
    const { pathname, search } = new URL(extractText(command));
    const { results, ...envelope } = Page.parse(await (await instance.fetch(pathname + search)).json());
    const sample = JSON.stringify({ ...envelope, results: results.slice(0, 1) }, null, 2);
    expect(extractText(text)).toContain(sample);
    expect(text.includes("The response without the default faults")).toBe(hasFaults);
  });
});

/** Formats the numbers of a day as its row of the table does. */
function formatRow({ records, failing, unknown, mean_road_users: mean }: Period): string[] {
  const known = records - (unknown ?? records);
  const share = failing === null || known === 0 ? "–" : formatShare(failing, known);
  return [formatNumber(records), share, mean === null ? "–" : formatMean(mean)];
}
