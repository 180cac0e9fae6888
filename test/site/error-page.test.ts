import { afterEach, expect, test, vi } from "vitest";
import { createFailingService } from "../failures/failing-service.ts";
import { createInstance, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { IN_BROWSER } from "./web-page.ts";

const PATH = "/api/tf1/records/";

const service = await createMemoryService(makeRecords(100));
afterEach(() => vi.restoreAllMocks());

/** Opens the page of an error. */
async function openError(path: string, status: number): Promise<string> {
  const response = await service.fetch(path, IN_BROWSER);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    status,
    "text/html; charset=utf-8",
  ]);
  return response.text();
}

test.each([
  [400, "Bad Request"],
  [418, "Client Error"],
  [451, "Unavailable For Legal Reasons"],
  [503, "Service Unavailable"],
  [599, "Server Error"],
])("the name of the status %i is %s", async (status, name) => {
  const page = await openError(`${PATH}?prefer=code=${status}`, status);
  expect(page).toContain(`<title>${status} ${name} · Traffic Count Records</title>`);
  expect(page).toContain(`HTTP ${status} ${name}`);
});

test.each([
  ["?page=999&x=1", "The last page is", `${PATH}?page=7&x=1`],
  ["?page=abc", "Pages are numbered from 1", undefined],
  ["?format=xml&page=2", "only the formats api and json", `${PATH}?format=json&page=2`],
])("the page of an error for %s says: %s", async (query, text, link) => {
  const page = await openError(PATH + query, 404);
  const [, advice = ""] = /<p class="lead">(.*?)<\/p>/s.exec(page) ?? [];
  expect(advice.replaceAll(/<[^>]+>/g, "")).toContain(text);
  expect(page).toMatch(/<h2>The response to a client<.*HTTP 404 Not Found\n.*{&quot;detail&quot;:/s);
  if (link === undefined) return;
  expect(advice).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
  expect((await service.fetch(link, IN_BROWSER)).status).toBe(200);
});

test.each<[string, number, string[], string[]]>([
  [`${PATH}7/`, 404, ["There is nothing at this address.", `<a href="${PATH}">`], [">Not found.<"]],
  [`${PATH}?page=0&prefer=delay=1`, 404, ["Pages are numbered from 1"], ["nothing is wrong"]],
  ...["/", PATH].flatMap((path): [string, number, string[], string[]][] => [
    [
      `${path}?prefer=code=503`,
      503,
      ["nothing is wrong", `<a href="${path}?">The same address without it</a>`],
      ["cannot read"],
    ],
    [
      `${path}?x=1&prefer=code=503&page=3`,
      503,
      [`<a href="${path}?x=1&amp;page=3">The same address`],
      ["cannot read"],
    ],
  ]),
])("the page of the error for %s -> %i contains %j", async (target, status, shown, hidden) => {
  const page = await openError(target, status);
  for (const text of shown) expect(page).toContain(text);
  for (const text of hidden) expect(page).not.toContain(text);
});

test("the page of an error that the header Prefer causes has no link", async () => {
  const headers = { ...IN_BROWSER.headers, prefer: "code=503" };
  const page = await (await service.fetch(PATH, { headers })).text();
  expect(page).toContain("nothing is wrong");
  expect(page).not.toContain("without it");
});

test.each([`${PATH}?page=0`, `${PATH}?prefer=code=503`, "/nothing", "/?format=xml"])(
  "the page of an error shows the headers that a client gets: %s",
  async (target) => {
    const response = await service.fetch(target);
    const page = await openError(target, response.status);
    const [, shown = ""] = /HTTP \d+ [^\n]+\n(.*?)\n\n/s.exec(page) ?? [];
    expect(new Headers(shown.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]))).toEqual(
      response.headers,
    );
    expect(page.includes("Preference-Applied: code=503")).toBe(target.includes("prefer"));
  },
);

test.each(["/", PATH])("the page of a failing store says when to try again: %s", async (path) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { service, control } = await createFailingService([]);
  control.fails = true;
  const page = await (await service.fetch(`${path}?page=2&x=1`, IN_BROWSER)).text();
  expect(page).toContain(`<a href="${path}?page=2&amp;x=1">Try again</a> after 5 seconds.`);
  expect(page).toContain("\nRetry-After: 5\n");
  expect(page).not.toContain(control.message);
});

test("the page for too many requests asks the person to wait", async () => {
  const RATE_LIMITER = { limit: async () => ({ success: false }) };
  const limited = createInstance(service.store, { settings: { RATE_LIMIT: "10", RATE_LIMITER } });
  const page = await (await limited.fetch(`${PATH}?page=2&x=1`, IN_BROWSER)).text();
  expect(page).toContain("Request was throttled. Expected available in 10 seconds.");
  expect(page).toContain("\nRetry-After: 10\n");
  expect(page).toContain(`<a href="${PATH}?page=2&amp;x=1">Try again</a> after 10 seconds.`);
});
