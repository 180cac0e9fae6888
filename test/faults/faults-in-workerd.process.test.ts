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

const CLOSED = ["close", "close, on=2, code=503, body=cut", "delay=1, close"];

test.each(CLOSED)("%s sends nothing", async (prefer) => {
  expect(await receive(`Prefer: ${prefer}`)).toEqual({ head: "", body: "" });
  await expect(get(prefer)).rejects.toThrow("fetch failed");
  expect(await (await get("close, on=3")).text()).toBe(whole);
});

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

test("a sequence of failures goes on with each request", async () => {
  const request = () => fetch(`${worker.origin + PAGE}&prefer=code=503,times=1,else,body=cut,times=1`);
  expect((await request()).status).toBe(503);
  await expect((await request()).text()).rejects.toThrow("terminated");
  expect(await (await request()).json()).toMatchObject({ count: 40 });
});
