import { afterEach, expect, test, vi } from "vitest";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { createControlledStore, makeSnapshot } from "../store/controlled-store.ts";
import { extractText, findLinks, IN_BROWSER, parseShownResponse } from "./html-view.ts";

const PATH = "/api/tf1/records/";
const HERE = ORIGIN + PATH;
const BAD_REQUEST = "400 Bad Request";
const UNAVAILABLE = "503 Service Unavailable";
const NOT_FOUND = "404 Not Found";
const ON_REQUEST = "A fault option changed this response. The service is working normally.";
const PAST_THE_END = "The collection has fewer pages. Show the last page";
const FORMATS = "The formats are api and json. Show the newest records";
const NUMBERED = "Pages are numbered from 1, and page 1 has the newest records. Show page 1";

const service = await createMemoryService(makeRecords(100));
afterEach(() => vi.restoreAllMocks());

/** The title, the advice, and the links in the advice and in the banner. */
function readAdvice(page: string) {
  const [, title = ""] = /<title>(.*) · Traffic Count Records<\/title>/.exec(page) ?? [];
  const [, advice = ""] = /<p class="lead">(.*?)<\/p>/s.exec(page) ?? [];
  const [, banner = ""] = /<p class="banner">(.*?)<\/p>/s.exec(page) ?? [];
  const links = findLinks(advice + banner);
  return { title: extractText(title), advice: extractText(advice), links };
}

test.each([
  [`${PATH}?prefer=code=418`, "418 I'm a teapot", ON_REQUEST, HERE],
  [`${PATH}?x=1&prefer=code=503&page=3`, UNAVAILABLE, ON_REQUEST, `${HERE}?x=1&page=3`],
  [`${PATH}?prefer=fail=1,delay=1`, UNAVAILABLE, ON_REQUEST, HERE],
  [`${PATH}?page=2&prefer=next=skip,seed=3`, "200 OK", ON_REQUEST, `${HERE}?page=2`],
  [`${PATH}?page=2&prefer=body=garbage`, "200 OK", ON_REQUEST, `${HERE}?page=2`],
  [`${PATH}?page=0&prefer=body=empty`, NOT_FOUND, ON_REQUEST, `${HERE}?page=0`],
  ["//a.example/b?prefer=x", NOT_FOUND, "There is nothing at this URL. Show the newest records", PATH],
  [`${PATH}?page=999&x=1`, NOT_FOUND, PAST_THE_END, `${HERE}?page=last&x=1`],
  [`${PATH}?page=abc`, NOT_FOUND, NUMBERED, `${HERE}?page=1`],
  [`${PATH}?page=0&prefer=delay=1`, NOT_FOUND, NUMBERED, `${HERE}?page=1&prefer=delay%3D1`],
  [`${PATH}?format=xml&page=2`, NOT_FOUND, FORMATS, PATH],
  [`${PATH}?prefer=count=0`, BAD_REQUEST, expect.stringContaining("must be"), HERE],
  ["/go?date=x", BAD_REQUEST, "date must be a day such as 2025-10-29. Show the overview", "/"],
])("the HTML of %s is %s: %s", async (target, name, advice, link) => {
  const response = await service.fetch(target, IN_BROWSER);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.status).toBe(Number.parseInt(name, 10));
  const page = await response.text();
  expect(readAdvice(page)).toEqual({ title: name, advice, links: expect.arrayContaining([link]) });
  expect(extractText(page)).toContain(`curl -si '${ORIGIN}${target}'`);
  const toClient = await service.fetch(target);
  expect(parseShownResponse(page)).toEqual({ name, headers: toClient.headers, body: await toClient.text() });
  if (advice !== ON_REQUEST && name === NOT_FOUND) expect((await service.fetch(link)).status).toBe(200);
});

test("the JSON that a fault changed has the links that a client would follow", async () => {
  const page = await (await service.fetch(`${PATH}?page=2&prefer=next=skip`, IN_BROWSER)).text();
  const link = `${HERE}?format=api&page=4&prefer=next%3Dskip`;
  expect(findLinks(page)).toContain(link);
});

test.each([
  [{ prefer: "code=503, '" }, "GET", String.raw`-si -H 'Prefer: code=503, '\'''`, ON_REQUEST],
  [{}, "DELETE", "-si -X DELETE", 'Method "DELETE" not allowed. Show the newest records'],
])("with the headers %j and the method %s, the HTML of an error has the command curl %s", async (...row) => {
  const [sent, method, options, advice] = row;
  const headers = { ...IN_BROWSER.headers, ...sent };
  const page = await (await service.fetch(PATH, { method, headers })).text();
  expect(readAdvice(page).advice).toContain(advice);
  expect(extractText(page)).toContain(`curl ${options} '${HERE}'`);
});

test.each(["/", PATH])("if the store fails, %s shows when to try again", async (path) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { store, control } = createControlledStore(makeSnapshot(0));
  control.fails = true;
  const page = await (await createInstance(store).fetch(`${path}?page=2&x=1`, IN_BROWSER)).text();
  const advice = "Service temporarily unavailable, try again later. Try again after 5 seconds";
  expect(readAdvice(page)).toMatchObject({ advice, links: [`${ORIGIN}${path}?page=2&x=1`] });
  expect(page).not.toContain("the store fails");
});
