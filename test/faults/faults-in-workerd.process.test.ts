import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { PATH } from "../support/exchange.ts";
import { openSocket } from "../support/free-port.ts";
import { makeRecords } from "../support/sample-records.ts";
import { loadInto, useWorker } from "../support/worker.ts";

const PAGE = `${PATH}?format=api&page=2`;

const worker = useWorker();
let whole: string;
beforeAll(async () => {
  await loadInto(worker.env, "d1", makeRecords(40));
  whole = await (await fetch(worker.origin + PAGE)).text();
});

const get = (Prefer: string, init: RequestInit = {}) =>
  fetch(worker.origin + PAGE, { ...init, headers: { Prefer } });

function open(...headers: string[]) {
  const lines = [`GET ${PAGE} HTTP/1.1`, `Host: ${new URL(worker.origin).host}`, ...headers, "", ""];
  return openSocket(worker.origin, lines.join("\r\n"));
}

/** Reads until the server closes the connection. After a complete response the connection stays open. */
async function receive(...headers: string[]): Promise<{ head: string; body: string }> {
  const [head = "", ...body] = (await text(await open(...headers))).split("\r\n\r\n");
  return { head, body: body.join("\r\n\r\n") };
}

test("body=cut announces the whole page, sends half of it, and closes the connection", async () => {
  const { head, body } = await receive("Prefer: body=cut");
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(new RegExp(`^Content-Length: ${whole.length}\r?$`, "m"));
  expect(head).toMatch(/^Content-Type: application\/json\r?$/m);
  expect(body).toBe(whole.slice(0, whole.length / 2));
  expect((await receive("Prefer: body=cut", "Accept-Encoding: gzip, br")).body).toBe(body);
  expect((await receive("Prefer: code=404, body=cut")).body).toBe('{"detail":"');
});

test.each(["close", "close, on=2, code=503, body=cut", "delay=1, close"])(
  "%s sends nothing",
  async (prefer) => {
    expect(await receive(`Prefer: ${prefer}`)).toEqual({ head: "", body: "" });
    await expect(get(prefer)).rejects.toThrow("fetch failed");
    expect(await (await get("close, on=3")).text()).toBe(whole);
  },
);

test("body=cut continues to work after a client disconnects or sends HEAD", async () => {
  for (let attempt = 0; attempt < 5; attempt++) (await open("Prefer: body=cut")).resetAndDestroy();
  expect((await get("body=cut", { method: "HEAD" })).status).toBe(200);
  expect(await (await get("")).text()).toBe(whole);
});

test("body=slow sends a small part at first", async () => {
  const reader = (await get("body=slow")).body!.getReader();
  expect((await reader.read()).value?.length).toBeLessThan(whole.length / 10);
  await reader.cancel();
});

test("rules are a sequence of failures, and each page can have its own", async () => {
  const request = (query: string) => fetch(`${worker.origin}${PATH}?${query}`);
  const sequence = "prefer=code=503,times=1,else,code=429,times=1,else,body=cut,times=1";
  for (const status of [503, 429]) expect((await request(sequence)).status).toBe(status);
  await expect((await request(sequence)).text()).rejects.toThrow("terminated");
  for (const page of [await request(sequence), await request(sequence)])
    expect(await page.json()).toMatchObject({ count: 40 });
  const table = "prefer=on=1,code=503,else,on=3,body=cut";
  expect((await request(`page=1&${table}`)).status).toBe(503);
  expect(await (await request(`page=2&${table}`)).json()).toMatchObject({ count: 40 });
  await expect((await request(`page=3&${table}`)).text()).rejects.toThrow("terminated");
});
