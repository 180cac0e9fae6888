import { describe, expect, test, vi } from "vitest";
import { createControlledStore, makeSnapshot } from "../support/controlled-store.ts";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER, parseShownResponse } from "../support/html-view.ts";
import { createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const HERE = ORIGIN + PATH;

const service = await createMemoryService(makeRecords(100));

/** Finds the links between the title and the response. */
const findAdvice = (page: string) => findLinks(page.match(/<h1>.*?<h2/s)![0]);

// biome-ignore format: a table of cases
test.each<[name: string, path: string, title: string, link: string]>([
  ["a requested error", `${PATH}?prefer=code=418`, "418 I'm a teapot", HERE],
  ["a fault among other parameters", `${PATH}?x=1&prefer=code=503&page=3`, "503 Service Unavailable", `${HERE}?x=1&page=3`],
  ["a random fault", `${PATH}?prefer=fail=1`, "503 Service Unavailable", HERE],
  ["a page of a proxy", `${PATH}?prefer=code=502,body=html`, "502 Bad Gateway, 1 change", HERE],
  ["a changed page", `${PATH}?page=2&prefer=next=skip,count=%2B7,seed=3`, "200 OK, 2 changes", `${HERE}?page=2`],
  ["a broken body", `${PATH}?page=2&prefer=body=garbage`, "200 OK, 1 change", `${HERE}?page=2`],
  ["a page with other neighbors", `${PATH}?page=2&prefer=next=skip`, "200 OK, 1 change", `${HERE}?format=api&page=3&prefer=next%3Dskip`],
  ["a broken page with neighbors", `${PATH}?page=2&prefer=body=empty`, "200 OK, 1 change", `${HERE}?format=api&page=1&prefer=body%3Dempty`],
  ["a broken error", `${PATH}?page=0&prefer=body=empty`, "404 Not Found, 1 change", `${HERE}?page=0`],
  ["a path that looks like a host", "//a.example/b?prefer=x", "404 Not Found", PATH],
  ["a page past the end", `${PATH}?page=999&x=1`, "404 Not Found", `${HERE}?page=last&x=1`],
  ["no page number", `${PATH}?page=abc`, "404 Not Found", `${HERE}?page=1`],
  ["an invisible fault", `${PATH}?page=0&prefer=delay=1`, "404 Not Found", `${HERE}?page=1&prefer=delay%3D1`],
  ["an unknown format", `${PATH}?format=xml&page=2`, "404 Not Found", PATH],
  ["an invalid option", `${PATH}?prefer=count=0`, "400 Bad Request", HERE],
  ["an invalid date", "/go?date=x", "400 Bad Request", PATH],
  ["a day without records", "/go?date=1999-01-01&x=1", "404 Not Found", `${ORIGIN}/go?date=2019-05-17&x=1`],
])("the HTML view of %s shows what another client gets, and leads out", async (_, path, title, link) => {
  const response = await service.fetch(path, IN_BROWSER);
  expect(response.status).toBe(Number.parseInt(title, 10));
  const page = await response.text();
  expect(extractText(page)).toContain(`${title} · Traffic Count Records`);
  expect(extractText(page.match(/<h1>.*?<\/h1>/)![0])).toBe(title);
  expect(extractText(page)).toContain(`curl -si '${ORIGIN}${path}'`);
  const toClient = await service.fetch(path);
  const name = title.replace(/, .*/, "");
  const shown = { name, headers: toClient.headers, body: await toClient.text() };
  expect(parseShownResponse(page)).toEqual(shown);
  expect(page, "advice").toMatch(/<p class="lead">\w/);
  expect(findAdvice(page)).toContain(link);
  const { status } = await service.fetch(link);
  expect(status >= 400).toBe(link.includes("page=0"));
});

test.each<[name: string, path: string, request: { method?: string; headers?: object }, url: string | null]>([
  ["an error", `${PATH}?page=0`, {}, `${HERE}?page=0&format=json`],
  ["a fault", `${PATH}?format=api&prefer=code=418`, {}, `${HERE}?format=json&prefer=code%3D418`],
  ["no path of the service", "/x", {}, `${ORIGIN}/x?format=json`],
  ["a fault of the header", PATH, { headers: { prefer: "code=418" } }, null],
  ["another method", PATH, { method: "DELETE" }, null],
  ["an unknown format", `${PATH}?format=xml`, {}, null],
])("the link to the JSON sends the same request, or is missing: %s", async (_, path, request, url) => {
  const headers = { ...IN_BROWSER.headers, ...request.headers };
  const page = await (await service.fetch(path, { ...request, headers })).text();
  const matches = page.matchAll(/<a href="([^"]*)">Request again as JSON</g);
  const links = Array.from(matches, ([, link]) => extractText(link!));
  expect(links).toEqual(url === null ? [] : [url]);
  if (url === null) return;
  const body = await (await service.fetch(url, IN_BROWSER)).text();
  expect(parseShownResponse(page).body).toBe(body);
});

describe("what a fault has changed is named above the body, and marked in it", () => {
  // biome-ignore format: a table of cases
  test.each<[options: string, ...changes: [name: string, line: string][]]>([
    ["count=-5", ["count: 95, was 100", '"count": 95, ← was 100']],
    ["next=null", ["next: null, was page 3", '"next": null, ← was page 3']],
    ["next=loop", ["next: page 2, was page 3", String.raw`"next": "https://\S+&page=2&prefer=next%3Dloop", ← was page 3`]],
    ["record=float,seed=1", [String.raw`record \d+, \w+: (\d+)\.5, was \1`, String.raw`"\w+": (\d+)\.5, ← was \1`]],
    ["record=null,seed=1", [String.raw`record \d+, \w+: null, was \d+`, String.raw`"\w+": null, ← was \d+`]],
    ["record=missing,seed=1", [String.raw`record \d+, \w+: missing, was \d+`, String.raw`"\w+": (\d+), ← missing, was \1`]],
    ["record=extra,seed=1", [String.raw`record \d+, vans: 0, added`, '"vans": 0 ← added']],
    ["record=offset,seed=1", [String.raw`record \d+, timestamp: (\S+)\+00:00, was \1Z`, String.raw`"timestamp": "(\S+)\+00:00", ← was \1Z`]],
    ["rows=repeat,seed=1", [String.raw`record \d+: \d+ in place of \d+`, String.raw`\{ ← \d+ in place of \d+`]],
    ["rows=drop,seed=1", [String.raw`record \d+: \d+ is missing`, String.raw`← record \d+: \d+ is missing`]],
    ["rows=swap,seed=1", ["record 13: 70 in place of 76", String.raw`\{ ← 70 in place of 76`], ["record 14: 76 in place of 70", String.raw`\{ ← 76 in place of 70`]],
    ["rows=repeat,count=%2B1,seed=1", ["count: 101, was 100", '"count": 101, ← was 100'], ["record .* in place of .*", String.raw`\{ ← .* in place of .*`]],
    ["body=cut", ["body: cut off.*", "← cut off.*"]],
    ["body=cut,count=%2B1,next=null", ["count: 101.*", '"count": 101, ← was 100'], ["next: null.*", '"next": null.*'], ["body: cut off.*", "← cut off.*"]],
    ["body=cut,rows=drop,seed=1", ["record .*missing", "← not received: record .*missing"], ["body: cut off.*", "← cut off.*"]],
    ["body=garbage", ["body: replaced by invalid JSON", "← replaced by invalid JSON"]],
    ["body=empty", ["body: removed", "← removed"]],
  ])("%s", async (options, ...changes) => {
    const page = await (await service.fetch(`${PATH}?page=2&prefer=${options}`, IN_BROWSER)).text();
    const shown = Array.from(page.matchAll(/<li><a href="#(.*?)">(.*?)<\/a>/g), ([, place, name = ""]) => {
      const lines = page.match(new RegExp(`<[a-z]+ id="${place}">.*?(?=\n|</code>)`, "g")) ?? [];
      return [extractText(name), ...lines.map(extractText)];
    });
    const expected = changes.map((change) => change.map((text) => expect.stringMatching(`^${text}$`)));
    expect(shown).toEqual(expected);
  });

  test.each(["code=503", "body=slow,delay=1", "delay=1", "next=null,on=last"])(
    "not if nothing in it has changed: %s",
    async (options) => {
      const page = await (await service.fetch(`${PATH}?page=last&prefer=${options}`, IN_BROWSER)).text();
      expect(page).not.toMatch(/<li><a href="#|<mark|<del|<small/);
      expect(page.includes("<table")).toBe(options !== "code=503");
    },
  );

  test("each line of a repeated record", async () => {
    const page = await (await service.fetch(`${PATH}?prefer=rows=repeat`, IN_BROWSER)).text();
    expect(page.match(/^ +<mark[ >]/gm)).toHaveLength(14);
  });
});

/** Reads a body to its end, or until its connection closes. */
async function readReceived({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  await body!.pipeTo(new WritableStream({ write: (part) => void parts.push(part) })).catch(() => undefined);
  return Buffer.concat(parts).toString();
}

const MISSING = ["rows=drop", "record=missing", "body=cut,rows=drop", "body=cut,record=missing"];

test.each(MISSING)("with %s, the body is shown as it was received, whatever is missing", async (options) => {
  for (let seed = 0; seed < 50; seed++) {
    const target = `${PATH}?prefer=${options},seed=${seed}`;
    const page = await (await service.fetch(target, IN_BROWSER)).text();
    const received = await readReceived(await service.fetch(target));
    expect(parseShownResponse(page).body, target).toBe(received);
  }
});

test("the JSON that a fault changed has the links that a client would follow", async () => {
  const page = await (await service.fetch(`${PATH}?page=2&prefer=next=skip`, IN_BROWSER)).text();
  expect(findLinks(page)).toContain(`${HERE}?format=api&page=4&prefer=next%3Dskip`);
});

test("a body that is cut inside of a character is shown as a client decodes it", async () => {
  const [record] = makeRecords(1);
  const { fetch } = await createMemoryService([{ ...record!, camera_ref: "\u20ac".repeat(63) }]);
  const target = `${PATH}?prefer=body=cut`;
  const text = await readReceived(await fetch(target));
  expect(text).toMatch(/\u20ac\ufffd$/);
  const page = await (await fetch(target, IN_BROWSER)).text();
  expect(parseShownResponse(page).body).toBe(text);
});

// biome-ignore format: a table of cases
test.each<[name: string, request: { method?: string; headers?: object }, options: string]>([
  ["the header Prefer, quoted", { headers: { prefer: "code=503, '" } }, String.raw`-si -H 'Prefer: code=503, '\'''`],
  ["the method", { method: "DELETE" }, "-si -X DELETE"],
])("the curl command of an error repeats %s", async (_, { method = "GET", headers }, options) => {
  const request = { method, headers: { ...IN_BROWSER.headers, ...headers } };
  const page = await (await service.fetch(PATH, request)).text();
  expect(extractText(page)).toContain(`curl ${options} '${HERE}'`);
});

test.each(["/", PATH])("if the store fails, %s shows when to try again, and no reason", async (path) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { store, control } = createControlledStore(makeSnapshot(0));
  control.fails = true;
  const page = await (await createInstance(store).fetch(`${path}?page=2&x=1`, IN_BROWSER)).text();
  expect(findAdvice(page)).toEqual([`${ORIGIN}${path}?page=2&x=1`]);
  expect(page).toContain("5 seconds");
  expect(page).not.toContain("the store fails");
});
