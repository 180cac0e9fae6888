import { once } from "node:events";
import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type * as Package from "../../../tools/package/index.d.ts";

// A program that makes the same calls of `service.fetch` and of the global `fetch`, and prints their results as JSON. Its argument is the
// path of the package.

const { createService }: typeof Package = await import(String(process.argv[2]));
const service = createService();
const server = await service.listen({ port: 0 });
const MOVED = "/api/tf1/records";
const PATH = `${MOVED}/`;

type Send = (path: string, init?: RequestInit) => Promise<Response>;

interface Call {
  name: string;
  call: (send: Send, fetch: typeof globalThis.fetch) => unknown;
  expected: unknown;
  /** The runtimes whose own `fetch` does something else, as that of Node and the standard do. */
  except?: string[];
}

/** Describes a response and the start of its text. */
async function show(sent: Promise<Response>): Promise<string> {
  const response = await sent;
  const { status, statusText, url, redirected } = response;
  const path = url.replace(server.url + MOVED, "") + (redirected ? " redirected" : "");
  return `${status} ${statusText} ${path} ${(await response.text()).slice(0, 9)}`;
}

/** Reads a body into memory of the client. Returns how many bytes it has. */
async function readIntoMemory(sent: Promise<Response>): Promise<number> {
  const reader = (await sent).body!.getReader({ mode: "byob" });
  let size = 0;
  let memory = new ArrayBuffer(1_000);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(memory));
    if (done) return size;
    size += value.length;
    memory = value.buffer;
  }
}

/** Tries to change the headers of a response. Returns what happens each time. */
async function changeHeaders(sent: Promise<Response>): Promise<string> {
  const { headers } = await sent;
  const changes = [() => headers.set("a", "b"), () => headers.append("a", "b"), () => headers.delete("ETag")];
  const results = changes.map(async (change) => change() ?? "changed");
  return (await Promise.allSettled(results)).map(({ status }) => status).join(" ");
}

const REFUSED = "rejected rejected rejected";

/** Reads a body in parts to its error. */
async function readParts({ body }: Response): Promise<string> {
  let size = 0;
  try {
    for await (const part of body!) size += part.length;
  } catch (error) {
    return `${size > 0 ? "a part" : "nothing"}, ${describe(error)}`;
  }
  return "no error";
}

const abortAfter = (milliseconds: number) => {
  const controller = new AbortController();
  void setTimeout(milliseconds).then(() => controller.abort(new RangeError("too late")));
  return { signal: controller.signal };
};

/** Starts a server at the same port again and again, for a client that keeps its connections. Returns the statuses. */
async function usePortAgain(): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const statuses = new Set<number>();
  let port = 0;
  for (let round = 0; round < 40; round++) {
    const again = await service.listen({ port });
    port = Number(new URL(again.url).port);
    const requests = Array.from({ length: 3 }, () => once(get(again.url + PATH, { agent }), "response"));
    for (const [response] of await Promise.all(requests)) {
      await text(response);
      statuses.add(response.statusCode);
    }
    await again.close();
  }
  return [...statuses];
}

/** Ends all waits during an action. */
const resetDuring = async (action: Promise<unknown>) => {
  void setTimeout(500).then(service.reset);
  return action;
};

const SLOW = `${PATH}?prefer=body=slow,delay=10000`;
const HANG = `${PATH}?prefer=hang`;
const HTML = { headers: { Accept: "text/html" } };
const CLOSED = "TypeError (fetch failed, UND_ERR_SOCKET)";
const CUT = "TypeError (terminated, UND_ERR_SOCKET)";

// biome-ignore format: a table of cases
const CALLS: Call[] = [
  { name: "a page", call: (send) => show(send(`${PATH}?page=2`)), expected: '200 OK /?page=2 {"count":' },
  { name: "a fragment", call: (send) => show(send(`${PATH}#newest`)), expected: '200 OK / {"count":', except: ["Bun"] },
  { name: "a URL object", call: (_, fetch) => show(fetch(new URL(PATH, server.url))), expected: '200 OK / {"count":' },
  { name: "a Request with options", call: (_, fetch) => show(fetch(new Request(server.url + PATH), { headers: { Prefer: "code=429" } })), expected: '429 Too Many Requests / {"detail"' },
  { name: "a path", call: (_, fetch) => fetch(PATH).catch(({ name }) => name), expected: "TypeError" },
  { name: "another protocol", call: (_, fetch) => fetch("ftp://counts.example/"), expected: "TypeError (fetch failed, )" },
  { name: "a slow body", call: (send) => show(send(`${PATH}?prefer=body=slow,delay=300`)), expected: '200 OK /?prefer=body=slow,delay=300 {"count":' },
  { name: "POST", call: (send) => show(send(PATH, { method: "POST", body: "{}" })), expected: '405 Method Not Allowed / {"detail"' },
  { name: "HEAD", call: (send) => show(send(PATH, { method: "HEAD" })), expected: "200 OK / " },
  { name: "If-None-Match", call: (send) => show(send(PATH, { headers: { "If-None-Match": "*" } })), expected: "304 Not Modified / " },
  { name: "a status without a name", call: (send) => show(send(`${PATH}?prefer=code=599`)), expected: '599 unknown /?prefer=code=599 {"detail"', except: ["Deno"] },
  { name: "a redirect", call: (send) => show(send(`${MOVED}?page=2`)), expected: '200 OK /?page=2 redirected {"count":' },
  { name: "a clone", call: (send) => show(send(`${MOVED}?page=2`).then((response) => response.clone().clone())), expected: '200 OK /?page=2 redirected {"count":' },
  { name: "POST that is not redirected", call: (send) => show(send(MOVED, { method: "POST", body: "{}" })), expected: '405 Method Not Allowed  {"detail"' },
  { name: "a redirect that is not followed", call: (send) => show(send(MOVED, { redirect: "manual" })), expected: "301 Moved Permanently  " },
  { name: "a redirect that is an error", call: (send) => send(MOVED, { redirect: "error" }), expected: "TypeError (fetch failed, )" },
  { name: "Retry-After and Date", call: async (send) => {
    const { headers } = await send(`${PATH}?prefer=code=503,retry-after=date`);
    const [end = 0, start = 0] = ["Retry-After", "Date"].map((name) => Date.parse(headers.get(name) ?? ""));
    return end > start;
  }, expected: true },
  { name: "the type", call: async (send) => [(await send(PATH)).type, (await send(PATH)).clone().type], expected: ["basic", "basic"], except: ["Bun"] },
  ...[PATH, `${PATH}?page=0`].map((path) => ({ name: `the headers of ${path}`, call: (send: Send) => changeHeaders(send(path)), expected: REFUSED, except: ["Bun"] })),
  { name: "the headers of a clone", call: (send) => changeHeaders(send(MOVED).then((response) => response.clone())), expected: REFUSED, except: ["Bun"] },
  { name: "the headers of a copy", call: (send) => changeHeaders(send(PATH).then((response) => new Response(response.body, response))), expected: "fulfilled fulfilled fulfilled" },
  { name: "memory of the client", call: (send) => readIntoMemory(send(PATH)), expected: (await (await service.fetch(server.url + PATH)).text()).length, except: ["Bun"] },
  { name: "memory of the client for an empty body", call: (send) => readIntoMemory(send(`${PATH}?prefer=body=empty`)), expected: 0, except: ["Bun"] },
  { name: "memory of the client for a cut body", call: (send) => readIntoMemory(send(`${PATH}?prefer=body=cut`)), expected: CUT, except: ["Bun"] },
  { name: "memory that the client gives away", call: async (send) => {
    const { value } = await (await send(PATH)).body!.getReader().read();
    structuredClone(value, { transfer: [value!.buffer] });
    return show(send(PATH));
  }, expected: '200 OK / {"count":' },
  { name: "close", call: (send) => send(`${PATH}?prefer=close`), expected: CLOSED },
  { name: "close for a browser", call: (send) => send(`${PATH}?prefer=close`, HTML), expected: CLOSED },
  { name: "a cut body", call: async (send) => readParts(await send(`${PATH}?prefer=body=cut`)), expected: `a part, ${CUT}` },
  { name: "a cut body and its clone", call: async (send) => {
    const response = await send(`${PATH}?prefer=body=cut`);
    return Promise.all([response.clone(), response].map((copy) => copy.text().catch(describe)));
  }, expected: [CUT, CUT] },
  { name: "reset during a wait", call: (send) => resetDuring(send(HANG)), expected: CLOSED, except: ["Bun", "Deno"] },
  { name: "reset during a slow body for a browser", call: (send) => resetDuring(send(SLOW, HTML)), expected: CLOSED, except: ["Bun", "Deno"] },
  { name: "reset during a slow body", call: async (send) => resetDuring((await send(SLOW)).text()), expected: CUT },
  { name: "an abort before the call", call: (send) => send(PATH, { signal: AbortSignal.abort(new RangeError()) }), expected: "RangeError" },
  { name: "an abort during a wait", call: (send) => send(HANG, abortAfter(100)), expected: "RangeError" },
  { name: "a timeout after a redirect", call: (send) => send(`${MOVED}?prefer=hang`, { signal: AbortSignal.timeout(100) }), expected: "TimeoutError" },
  ...[SLOW, `${SLOW}#newest`, SLOW.replace("/?", "?")].map((path) => ({ name: `an abort during the body of ${path}`, call: async (send: Send) => {
    const response = await send(path, abortAfter(500));
    await setTimeout(100);
    globalThis.gc?.();
    return response.text();
  }, expected: "RangeError" })),
  { name: "a body that is not read to its end", call: async (send) => {
    const reader = (await send(SLOW)).body!.getReader();
    await reader.cancel();
    return (await reader.read()).done;
  }, expected: true },
  { name: "connections to a port that is used again", call: usePortAgain, expected: [200] },
];

/** Describes an error, with what retry policies decide by. */
function describe(error: unknown): string {
  const { name, message, cause } = Object(error);
  return cause ? `${name} (${message}, ${cause.code ?? ""})` : name;
}

async function run({ call }: Call, fetch: typeof globalThis.fetch): Promise<unknown> {
  const send: Send = (path, init) => fetch(server.url + path, init);
  return new Promise((resolve) => resolve(call(send, fetch))).catch(describe);
}

const results: object[] = [];
for (const row of CALLS)
  results.push({ ...row, service: await run(row, service.fetch), global: await run(row, fetch) });
console.log(JSON.stringify(results));
await server.close();
