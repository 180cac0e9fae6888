import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Page } from "../../src/records/record.ts";
import { essential } from "../records/headers.ts";
import { PAGE, PATH, request, useMockWorker, worker } from "./mock-worker.ts";

useMockWorker();

const LAST = 27;
const pageUrl = (page: number | string, prefer = "") =>
  `${PATH}?format=api&page=${page}${prefer && `&prefer=${prefer}`}`;
const applied = ({ headers }: Response) => headers.get("preference-applied");

async function read(prefer: string, path = PAGE): Promise<{ page: Page; response: Response }> {
  const response = await request(prefer, path);
  return { response, page: (await response.json()) as Page };
}

describe("the option on", () => {
  const failing = async (on: string) => {
    const pages = Array.from({ length: LAST }, (_, index) => index + 1);
    const responses = await Promise.all(pages.map((page) => request(`on=${on}, code=500`, pageUrl(page))));
    for (const response of responses) await response.text();
    return pages.filter((_, index) => responses[index]?.status === 500);
  };

  test.each<[string, number[]]>([
    ["3,7-9", [3, 7, 8, 9]],
    ["last", [LAST]],
    ["records?page=2,last", [2, LAST]],
    ["99", []],
  ])("with the value %s affects exactly the given pages", async (on, pages) =>
    expect(await failing(on)).toEqual(pages),
  );

  test("recognizes the last page by its name and by its number", async () => {
    for (const on of ["last", String(LAST)]) {
      expect((await request(`on=${on}, code=500`, pageUrl("last"))).status).toBe(500);
      expect((await request(`on=${on}, code=500`, pageUrl(LAST))).status).toBe(500);
    }
  });

  test("gives an error on the last page the same headers as any other error", async () => {
    const [aimed, usual] = [
      await request("on=last, code=503", pageUrl(LAST)),
      await request("code=503", pageUrl(LAST)),
    ];
    expect(await aimed.text()).toBe(await usual.text());
    const { "preference-applied": _, ...headers } = essential(aimed.headers);
    expect(essential(usual.headers)).toMatchObject(headers);
  });

  test("limits every other fault to these pages, so that a crawl fails in the middle", async () => {
    let [url, read]: [string | null, number] = [pageUrl(1, "on=5,code=503"), 0];
    let response: Response;
    do {
      response = await worker.fetch(url);
      if (response.status !== 200) break;
      url = ((await response.json()) as Page).next;
      read += 1;
    } while (url !== null);
    expect([read, response.status]).toEqual([4, 503]);
    const other = await request("on=5, body=empty, delay=2000, next=loop", PAGE);
    expect(applied(other)).toBe('on="5"');
    expect(await other.text()).toBe(await (await worker.fetch(PAGE)).text());
  });

  test("does not affect other paths", async () => {
    expect((await request("on=1, code=500", "/")).status).toBe(200);
  });
});

describe("recovery:", () => {
  test("outage starts and ends by the clock", async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 22; tries++) {
      const response = await request("outage=1/2");
      await response.text();
      statuses.push(response.status);
      await setTimeout(200);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    const changes = statuses.filter((status, index) => index > 0 && status !== statuses[index - 1]);
    expect(changes.length).toBeLessThan(8);
  });

  test("no fault is applied after the time of until", async () => {
    const end = new Date(Date.now() + 1_500).toISOString();
    expect((await request(`code=503, until=${end}`)).status).toBe(503);
    await setTimeout(1_700);
    const response = await request(`code=503, delay=5000, until=${end}`);
    expect([response.status, applied(response)]).toEqual([200, `until=${end}`]);
  });
});

describe("data:", () => {
  const changed = async (prefer: string) => {
    const [{ page, response }, usual] = [
      await read(prefer),
      (await (await worker.fetch(PAGE)).json()) as Page,
    ];
    return { page, usual, response };
  };

  test("rows=drop leaves out one record", async () => {
    const { page, usual } = await changed("rows=drop, seed=1");
    expect(usual.results.filter((one) => !page.results.some(({ id }) => id === one.id))).toHaveLength(1);
  });

  test("rows=repeat repeats one record in place of another record", async () => {
    const { page } = await changed("rows=repeat, seed=1");
    expect(page.results).toHaveLength(15);
    expect(new Set(page.results.map(({ id }) => id)).size).toBe(14);
  });

  test("rows=swap exchanges two neighbours of different times", async () => {
    const { page, usual } = await changed("rows=swap, seed=1");
    expect(page.results.toSorted((a, b) => a.id - b.id)).toEqual(
      usual.results.toSorted((a, b) => a.id - b.id),
    );
    const times = page.results.map(({ timestamp }) => timestamp);
    expect(times).not.toEqual(times.toSorted().reverse());
  });

  test.each<[string, (usual: Page) => Partial<Page>]>([
    ["count=+1", ({ count }) => ({ count: count + 1 })],
    ["count=-399", ({ count }) => ({ count: count - 399 })],
    ["next=null", () => ({ next: null })],
    ["next=loop", ({ next }) => ({ next: String(next).replace("page=3", "page=2") })],
    ["next=skip", ({ next }) => ({ next: String(next).replace("page=3", "page=4") })],
    ["next=http", ({ next }) => ({ next: String(next).replace("http:", "https:") })],
  ])("%s", async (prefer, expected) => {
    const { page, usual, response } = await changed(prefer);
    expect(page).toEqual({ ...usual, ...expected(usual) });
    expect(applied(response)).toBe(prefer);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.has("etag")).toBe(false);
  });

  test.each<[string, RegExp]>([
    ["float", /^\d+\.5$/],
    ["null", /^null$/],
    ["missing", /^undefined$/],
    ["extra", /^0$/],
    ["offset", /\+00:00$/],
  ])("record=%s changes one field of one record", async (fault, expected) => {
    const { page, usual } = await changed(`record=${fault}, seed=3`);
    const changes = page.results.flatMap((record, index) =>
      [...new Set([...Object.keys(record), ...Object.keys(usual.results[index]!)])].flatMap((name) => {
        const [is, was] = [Object(record)[name], Object(usual.results[index])[name]];
        return is === was ? [] : [String(is)];
      }),
    );
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatch(expected);
  });

  test("the same seed chooses the same record for every URL of a page", async () => {
    const texts = await Promise.all(
      [`${PATH}?page=2`, PAGE, `${PATH}?page=2&format=`, `${PATH}?page=9&page=2`].map(async (path) => {
        return (await read("record=null, rows=repeat, seed=8", path)).page.results;
      }),
    );
    for (const results of texts) expect(results).toEqual(texts[0]);
    const other = (await read("record=null, rows=repeat, seed=9")).page.results;
    expect(other).not.toEqual(texts[0]);
  });

  test("type changes Content-Type only", async () => {
    const response = await request("type=text/html");
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(applied(response)).toBe('type="text/html"');
    expect(await response.json()).toHaveProperty("count");
  });

  test("Preference-Applied does not list faults that cannot be applied", async () => {
    expect(applied(await request("next=null", pageUrl(LAST)))).toBeNull();
    expect(applied(await request("rows=drop, delay=1", pageUrl(99)))).toBe("delay=1");
    expect(applied(await request("count=+1, delay=1", "/openapi.json"))).toBe("delay=1");
  });

  test("fail limits a fault to a share of the pages, and the links keep the options", async () => {
    let url: string | null = pageUrl(1, "rows=drop,fail=0.4,seed=4");
    const sizes: number[] = [];
    while (url !== null) {
      const page = (await (await worker.fetch(url)).json()) as Page;
      sizes.push(page.results.length);
      url = page.next;
    }
    expect(new Set(sizes.slice(0, -1))).toEqual(new Set([14, 15]));
  });
});

describe("transport:", () => {
  test.each([0, 1, 1_000])("cut=%i sends exactly that many bytes", async (bytes) => {
    const response = await request(`cut=${bytes}`);
    let received = 0;
    const receive = async () => {
      for await (const piece of response.body!) received += piece.length;
    };
    await expect(receive()).rejects.toThrow();
    expect(received).toBe(bytes);
  });

  test("rate sends that many bytes per second", async () => {
    const begun = performance.now();
    const response = await request("rate=2000");
    const text = await response.text();
    const seconds = (performance.now() - begun) / 1_000;
    expect(text).toBe(await (await worker.fetch(PAGE)).text());
    expect(seconds).toBeGreaterThan((text.length / 2_000) * 0.9);
    expect(seconds).toBeLessThan((text.length / 2_000) * 3);
  });

  test("hang sends nothing", async () => {
    const signal = AbortSignal.timeout(1_500);
    await expect(request("hang", PAGE, { signal })).rejects.toThrow(/timeout|aborted/);
    expect((await worker.fetch(PAGE)).status).toBe(200);
  });

  test.each([
    ["code=429, retry-after=none", null],
    ["code=503, retry-after=7", "7"],
    ["code=503, retry-after=0", "0"],
    ["fail=1, retry-after=30", "30"],
  ])("%s", async (prefer, expected) => {
    const response = await request(prefer);
    expect(response.headers.get("retry-after")).toBe(expected);
    expect(applied(response)).toContain("retry-after=");
  });

  test("retry-after=date writes an HTTP date", async () => {
    const response = await request("code=429, retry-after=date");
    const date = response.headers.get("retry-after")!;
    expect(date).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(10_000);
  });

  test("429 has the same waiting time in every header", async () => {
    const { headers } = await request("code=429, retry-after=9");
    expect([headers.get("retry-after"), headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([
      "9",
      '"default";r=0;t=9',
      '"default";q=100;w=10',
    ]);
  });
});

describe("the option strict", () => {
  test("turns a warning into 400", async () => {
    const response = await request("strict, dealy=5");
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      detail: "dealy=5 is ignored: unknown preference, did you mean delay?",
    });
    expect(applied(response)).toBe("strict");
  });

  test("changes nothing if all preferences are valid", async () => {
    const response = await request("strict, delay=1, respond-async");
    expect([response.status, applied(response)]).toEqual([200, "delay=1"]);
  });
});

describe("the option grow", () => {
  test("serves a collection that grows with the clock and whose pages shift", async () => {
    const first = (await read("grow=20/s", pageUrl(1))).page;
    await setTimeout(600);
    const later = (await read("grow=20/s", pageUrl(1))).page;
    const added = later.count - first.count;
    // The growth starts again after 200 records, which is every 10 seconds.
    expect(added < 0 ? added + 200 : added).toSatisfy((number: number) => number >= 8 && number < 100);
    expect(first.count).toBeGreaterThanOrEqual(200);
    expect(first.count).toBeLessThanOrEqual(400);
    if (added > 0 && added < 15) expect(later.results[added]).toEqual(first.results[0]);
  });

  test("keeps one state during a walk with as_of, and does not change the real collection", async () => {
    const { page } = await read("", `${PATH}?as_of=latest&prefer=grow=20/s`);
    const { page: second } = await read("", page.next!);
    expect(second.count).toBe(page.count);
    expect(second.next).toContain("prefer=grow%3D20%2Fs");
    expect(((await (await worker.fetch(PAGE)).json()) as Page).count).toBe(400);
  });

  test("returns 404 for states and pages that are not shown yet", async () => {
    const { page } = await read("grow=1/h", pageUrl(1));
    expect((await request("grow=1/h", `${PATH}?as_of=400&page=1`)).status).toBe(
      page.count === 400 ? 200 : 404,
    );
    expect((await request("grow=1/h", pageUrl("last"))).status).toBe(200);
  });
});
