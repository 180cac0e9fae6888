import { describe, expect, test, vi } from "vitest";
import { createControlledStore, makeSnapshot } from "../support/controlled-store.ts";
import { PATH } from "../support/exchange.ts";
import { extractText, findLinks, IN_BROWSER, parseShownResponse } from "../support/html-view.ts";
import { createInstance, createMemoryService, ORIGIN } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const HERE = ORIGIN + PATH;

const service = await createMemoryService(makeRecords(100));

/** Finds the links between the title and the response. */
const findAdvice = (page: string) => findLinks(page.match(/<h1>.*?<(?:h2|footer)/s)![0]);

// biome-ignore format: a table of cases
test.each<[name: string, path: string, title: string, link: string]>([
  ["a requested error", `${PATH}?prefer=code=418`, "418 I'm a teapot", HERE],
  ["a requested error that can be repeated", `${PATH}?prefer=code=429,times=9,retry-after=none`, "429 Too Many Requests", `${HERE}?prefer=code=429,times=9,retry-after=none`],
  ["a fault among other parameters", `${PATH}?x=1&prefer=code=503&page=3`, "503 Service Unavailable", `${HERE}?x=1&page=3`],
  ["a page of a proxy", `${PATH}?prefer=code=502,body=html`, "502 Bad Gateway, 1 change", HERE],
  ["a changed page", `${PATH}?page=2&prefer=next=skip,count=%2B7,seed=3`, "200 OK, 2 changes", `${HERE}?page=2`],
  ["a broken body", `${PATH}?page=2&prefer=body=garbage`, "200 OK, 1 change", `${HERE}?page=2`],
  ["a page with other neighbors", `${PATH}?page=2&prefer=next=skip`, "200 OK, 1 change", `${HERE}?format=api&page=3&prefer=next%3Dskip`],
  ["a broken error", `${PATH}?page=0&prefer=body=empty`, "404 Not Found, 1 change", `${HERE}?page=0`],
  ["a page past the end", `${PATH}?page=999&x=1`, "404 Not Found", PATH],
  ["no page number", `${PATH}?page=abc`, "404 Not Found", PATH],
  ["an invisible fault", `${PATH}?page=0&prefer=delay=1`, "404 Not Found", PATH],
  ["an unknown format", `${PATH}?format=xml&page=2`, "404 Not Found", PATH],
  ["an invalid option", `${PATH}?prefer=count=0`, "400 Bad Request", HERE],
  ["a path that looks like a host", "//a.example/b?prefer=x", "404 Not Found", PATH],
  ["an invalid date", "/go?date=x", "400 Bad Request", PATH],
  ["a day without records", "/go?date=1999-01-01&x=1", "404 Not Found", `${ORIGIN}/go?date=2019-05-17&x=1`],
])("the HTML view of %s shows what another client gets, and leads out", async (_, path, title, link) => {
  const response = await service.fetch(path, IN_BROWSER);
  expect(response.status).toBe(Number.parseInt(title, 10));
  const page = await response.text();
  expect(extractText(page)).toContain(`${title} · Traffic Count Records`);
  expect(extractText(page.match(/<h1>.*?<\/h1>/)![0])).toBe(title);
  const toClient = await service.fetch(path);
  const body = await toClient.text();
  if (path.startsWith(PATH)) {
    expect(extractText(page)).toContain(`curl -si '${ORIGIN}${path}'`);
    const name = title.replace(/, .*/, "");
    expect(parseShownResponse(page)).toEqual({ name, headers: toClient.headers, body });
    expect(page.includes("<details open")).toBe(response.status >= 400);
  } else expect(page).toContain(JSON.parse(body).detail);
  const [, date] = /^\/go\?date=([\w-]+)/.exec(path) ?? [];
  if (date !== undefined) expect(page).toContain(`name="date" type="date" value="${date}"`);
  expect(findAdvice(page)).toContain(link);
  expect(findAdvice(page).includes(PATH)).toBe(link === PATH);
  const { status } = await service.fetch(link);
  expect(status >= 400).toBe(/page=0|429/.test(link));
});

// biome-ignore format: a table of cases
test.each<[name: string, path: string, request: { method?: string; headers?: object }, command: string, url: string]>([
  ["a page", `${PATH}?aformat=api&format=api&page=2`, {}, "-si", `${HERE}?aformat=api&format=json&page=2`],
  ["an error", `${PATH}?page=0`, {}, "-si", `${HERE}?page=0&format=json`],
  ["a fault", `${PATH}?format=api&prefer=code=503`, {}, "-si", `${HERE}?format=json&prefer=code%3D503`],
  ["a fault of the header, quoted", PATH, { headers: { prefer: "code=503, '" } }, String.raw`-si -H 'Prefer: code=503, '\'''`, ""],
  ["another method", `${PATH}?prefer=code=429`, { method: "DELETE" }, "-si -X DELETE", ""],
  ["an unknown format", `${PATH}?format=xml&prefer=code=429`, {}, "-si", ""],
])("the command sends the same request, and so do the links to the JSON and to try again if they can: %s", async (...row) => {
  const [, path, request, command, url] = row;
  const headers = { ...IN_BROWSER.headers, ...request.headers };
  const response = await service.fetch(path, { ...request, headers });
  const page = await response.text();
  expect(extractText(page)).toContain(`curl ${command} '${ORIGIN}${path}'`);
  const canRepeat = Object.keys(request).length === 0;
  expect(page.includes(">Try again")).toBe(canRepeat && [429, 503].includes(response.status));
  const links = page.match(/<a class="button" href="[^"]*">JSON</g) ?? [];
  expect(links.flatMap(findLinks)).toEqual(url === "" ? [] : [url]);
  if (url === "") return;
  const body = await (await service.fetch(url, IN_BROWSER)).text();
  expect(parseShownResponse(page).body.replaceAll("&format=api", "&format=json")).toBe(body);
});

describe("a body is shown as received, and what a fault has changed is named above it, and marked in it", () => {
  // biome-ignore format: a table of cases
  test.each<[options: string, ...changes: [name: string, line: string][]]>([
    ["count=-5", ["count: 95, was 100", '"count": 95, ← was 100']],
    ["next=null", ["next: null, was page 3", '"next": null, ← was page 3']],
    ["next=loop", ["next: page 2, was page 3", String.raw`"next": "https://\S+&page=2&prefer=next%3Dloop", ← was page 3`]],
    ["record=float,seed=1", [String.raw`record \d+, \w+: (\d+)\.5, was \1`, String.raw`"\w+": (\d+)\.5, ← was \1`]],
    ["record=null,seed=1", [String.raw`record \d+, \w+: null, was \d+`, String.raw`"\w+": null, ← was \d+`]],
    ["record=missing,seed=1", [String.raw`record \d+, \w+: missing, was \d+`, String.raw`"\w+": (\d+) ← missing, was \1`]],
    ["record=extra,seed=1", [String.raw`record \d+, vans: 0, added`, '"vans": 0 ← added']],
    ["record=offset,seed=1", [String.raw`record \d+, timestamp: (\S+)\+00:00, was \1Z`, String.raw`"timestamp": "(\S+)\+00:00", ← was \1Z`]],
    ["rows=repeat,seed=1", [String.raw`record \d+: \d+ in place of \d+`, String.raw`\{ ← \d+ in place of \d+`]],
    ["rows=drop,seed=3", ["record 1: 87 is missing", "← record 1: 87 is missing"]],
    ["rows=drop,seed=19", ["record 15: 69 is missing", "← record 15: 69 is missing"]],
    ["rows=drop,record=missing,seed=35", ["record 14: .*", "← record 14: .*"], ["record 14, persons: .*", '"persons": .*']],
    ["rows=swap,seed=1", ["record 13: 70 in place of 76", String.raw`\{ ← 70 in place of 76`], ["record 14: 76 in place of 70", String.raw`\{ ← 76 in place of 70`]],
    ["rows=repeat,count=%2B1,seed=1", ["record .* in place of .*", String.raw`\{ ← .* in place of .*`], ["count: 101, was 100", '"count": 101, ← was 100']],
    ["rows=repeat,record=extra,seed=30", ["record .*: .* in place of .*", String.raw`\{ ← .* in place of .*`], ["record .*, vans: 0, added", '"vans": 0 ← added']],
    ["body=cut", ["body: cut off.*", "← cut off.*"]],
    ["body=cut,count=%2B1,next=null", ["body: cut off.*", "← cut off.*"]],
    ["body=garbage", ["body: replaced by invalid JSON", "← replaced by invalid JSON"]],
    ["body=empty", ["body: removed", "← removed"]],
  ])("%s", async (options, ...changes) => {
    const target = `${PATH}?page=2&prefer=${options}`;
    const page = await (await service.fetch(target, IN_BROWSER)).text();
    expect(parseShownResponse(page).body).toBe(await readReceived(await service.fetch(target)));
    const shown = Array.from(page.matchAll(/<a href="#(?!main)(.*?)">(.*?)<\/a>/g), ([, place, name = ""]) => {
      const lines = page.match(new RegExp(`<[a-z]+ id="${place}">.*?(?=\n|</code>)`, "g")) ?? [];
      return [extractText(name), ...lines.map((line) => extractText(line).trim())];
    });
    const expected = changes.map((change) => change.map((text) => expect.stringMatching(`^${text}$`)));
    expect(shown).toEqual(expected);
    const folded = page.match(/<details><summary>Record.*?<\/details>/gs) ?? [];
    expect(folded.length > 0, "unchanged records are folded").toBe(!options.startsWith("body"));
    expect(folded.join("")).not.toMatch(/<mark|<del|<small|Records (\d+) to \1</);
  });

  test.each(["code=503", "body=slow,delay=1", "delay=1", "next=null,on=last"])(
    "not if nothing in it has changed: %s",
    async (options) => {
      const page = await (await service.fetch(`${PATH}?page=last&prefer=${options}`, IN_BROWSER)).text();
      expect(page).not.toMatch(/<a href="#(?!main)|<mark|<del|<small/);
      expect(page.includes("<table")).toBe(options !== "code=503");
    },
  );

  test("each line of a repeated record", async () => {
    const page = await (await service.fetch(`${PATH}?prefer=rows=repeat`, IN_BROWSER)).text();
    expect(page.match(/<mark[ >]/g)).toHaveLength(14);
  });
});

/** Reads a body to its end, or until its connection closes. */
async function readReceived({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  await body!.pipeTo(new WritableStream({ write: (part) => void parts.push(part) })).catch(() => undefined);
  return Buffer.concat(parts).toString();
}

test.each([
  ["the only record, after its list", 1, "", /"results": \[\]\n +← record 1: \d+ is missing\n\}/],
  ["the last record, in its list", 100, "&page=2", /\} +← record 15: \d+ is missing\n {2}\]\n\}/],
])("the note of %s", async (_, count, query, note) => {
  const { fetch } = await createMemoryService(makeRecords(count));
  const page = await (await fetch(`${PATH}?prefer=rows=drop,seed=19${query}`, IN_BROWSER)).text();
  expect(extractText(page)).toMatch(note);
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

test.each(["/", PATH])("if the store fails, %s shows when to try again, and no reason", async (path) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { store, control } = createControlledStore(makeSnapshot(0));
  control.fails = true;
  const page = await (await createInstance(store).fetch(`${path}?page=2&x=1`, IN_BROWSER)).text();
  expect(findAdvice(page)).toContain(`${ORIGIN}${path}?page=2&x=1`);
  expect(page).toContain("5 seconds");
  expect(page).not.toContain("the store fails");
});
