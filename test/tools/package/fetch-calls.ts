import { isDeepStrictEqual } from "node:util";
import type { Service } from "../../../tools/package/index.d.ts";
import { ABORTS } from "./fetch-aborts.ts";
import { attempt, type Call, describe, read } from "./fetch-results.ts";

// Calls of `fetch`, each with what a program sees. They run in any Node that the package supports, without Vitest.

const PATH = "/api/tf1/records/";
const MOVED = "/api/tf1/records";

/** Reads the response to a request for a path. */
const get =
  (path: string, init?: RequestInit): Call =>
  async (fetch, _, origin) =>
    read(await fetch(origin + path, init), origin);

const POST = { method: "POST", body: "{}" };

/** A stream that sends nothing. */
const stream = () => new ReadableStream({ pull: (controller) => controller.close() });

const body = (value: string) => `?prefer=body%3D${value}`;
const FAULTS = ["cut", "slow", "garbage", "empty"];

/** Calls by their names. */
export const CALLS: Record<string, Call> = {
  "a page": get(`${PATH}?page=2`),
  "a page as HTML": get(`${PATH}?page=2`, { headers: { Accept: "text/html" } }),
  "a static file": get("/robots.txt"),
  "a page that does not exist": get(`${PATH}?page=999`),
  "a fragment": get(`${PATH}?page=2#newest`),
  "a URL object": async (fetch, url, origin) => read(await fetch(new URL(url)), origin),
  "a Request": async (fetch, url, origin) => read(await fetch(new Request(url)), origin),
  "a Request and options": async (fetch, url, origin) =>
    read(await fetch(new Request(url), { headers: { Prefer: "code=429" } }), origin),
  HEAD: get(PATH, { method: "HEAD" }),
  "HEAD of a static file": get("/robots.txt", { method: "HEAD" }),
  "HEAD of an error": get(`${PATH}?page=999`, { method: "HEAD" }),
  OPTIONS: get(PATH, { method: "OPTIONS" }),
  "a preflight": get(PATH, { method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } }),
  "POST with a text": get(PATH, POST),
  "a method in lower case": get(PATH, { method: "delete" }),
  "304": async (fetch, url, origin) => {
    const { headers } = await fetch(url);
    return read(await fetch(url, { headers: { "If-None-Match": headers.get("ETag") ?? "" } }), origin);
  },
  "a closed connection": get(`${PATH}?prefer=close`),
  "HEAD and a closed connection": get(`${PATH}?prefer=close`, { method: "HEAD" }),
  ...Object.fromEntries(
    FAULTS.flatMap((fault) =>
      ["GET", "HEAD"].map((method): [string, Call] => [
        `${method} with body=${fault}`,
        async (fetch, url, origin) => {
          const response = await fetch(`${url}${body(fault)},delay%3D300`, { method });
          return [describe(response, origin), await attempt(() => response.text())];
        },
      ]),
    ),
  ),

  // Redirects.
  "a redirect": get(`${MOVED}?page=2`),
  "a redirect, followed by hand": get(`${MOVED}?page=2`, { redirect: "manual" }),
  "a redirect that is refused": async (fetch, _, origin) =>
    fetch(`${origin}/api/tf1/records?page=2`, { redirect: "error" }),
  "a redirect of POST": get(MOVED, POST),
  "a redirect of PUT": get(MOVED, { method: "PUT", body: "{}" }),
  "a redirect of HEAD": get(MOVED, { method: "HEAD" }),
  "a redirect of HEAD, followed by hand": get(MOVED, { method: "HEAD", redirect: "manual" }),
  "a redirect of a static file": get("/favicon.ico"),
  "a redirect of a static file, followed by hand": get("/favicon.ico", { redirect: "manual" }),
  "a static file and a wrong method": get("/robots.txt", { method: "POST" }),
  "a redirect with a fragment": get(`${MOVED}#newest`),
  "a redirect to a fragment": get("/go?date=2019-05-17"),
  "a redirect without If-None-Match lost": async (fetch, url, origin) => {
    const { headers } = await fetch(url);
    const init = { headers: { "If-None-Match": headers.get("ETag") ?? "" } };
    return read(await fetch(`${origin}/api/tf1/records`, init), origin);
  },

  // Clones.
  "a clone": async (fetch, url, origin) => {
    const response = await fetch(`${url}?page=2`);
    const clone = response.clone();
    return [await read(clone, origin), await read(response, origin), clone instanceof Response];
  },
  "a clone of a redirected response, and its clone": async (fetch, _, origin) => {
    const clone = (await fetch(`${origin}/api/tf1/records`)).clone();
    return [describe(clone, origin), await read(clone.clone(), origin)];
  },
  "a clone of a response that was read": async (fetch, url) => {
    const response = await fetch(url);
    await response.text();
    return response.clone();
  },
  "a clone of a response that is being read": async (fetch, url) => {
    const response = await fetch(url);
    response.body?.getReader();
    return response.clone();
  },
  "a clone of a cut body": async (fetch, url) => {
    const response = await fetch(url + body("cut"));
    const clone = response.clone();
    return Promise.all([response, clone].map((one) => attempt(() => one.text())));
  },

  ...ABORTS,

  // Bodies.
  "a Request with a body, twice": async (fetch, url) => {
    const request = new Request(url, POST);
    const { status } = await fetch(request);
    return [status, request.bodyUsed, await attempt(() => fetch(request))];
  },
  "a Request whose body was read": async (fetch, url) => {
    const request = new Request(url, POST);
    await request.text();
    return fetch(request);
  },
  "a Request without a body, twice": async (fetch, url, origin) => {
    const request = new Request(`${url}?page=2`);
    return [await read(await fetch(request), origin), await read(await fetch(request), origin)];
  },
  "a locked stream": (fetch, url) => {
    const locked = stream();
    locked.getReader();
    return fetch(url, { method: "POST", body: locked, duplex: "half" } as RequestInit);
  },
  "a stream without duplex": (fetch, url) => fetch(url, { method: "POST", body: stream() }),
  "a stream": async (fetch, url) =>
    (await fetch(url, { method: "POST", body: stream(), duplex: "half" } as RequestInit)).status,
  "GET with a body": (fetch, url) => fetch(url, { body: "{}" }),
  "a response that is read twice": async (fetch, url) => {
    const response = await fetch(url);
    await response.text();
    return response.text();
  },
  "a response whose body is locked": async (fetch, url) => {
    const response = await fetch(url);
    response.body?.getReader();
    return [response.bodyUsed, await attempt(() => response.text())];
  },
  "a response that is cancelled": async (fetch, url) => {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.bodyUsed;
  },
  "a cut body that is cancelled": async (fetch, url) => (await fetch(url + body("cut"))).body?.cancel(),
  "a body that is read in parts": async (fetch, url) => {
    const received = [];
    for await (const chunk of (await fetch(`${url}?page=2`)).body ?? []) received.push(Buffer.from(chunk));
    return [Buffer.concat(received).toString(), received.every((chunk) => chunk.length > 0)];
  },
  "a body that is read into a buffer": async (fetch, url) => {
    const reader = (await fetch(`${url}?page=2`)).body?.getReader({ mode: "byob" });
    const part = await reader?.read(new Uint8Array(10));
    return [part?.done, Buffer.from(part?.value ?? []).toString()];
  },
  "every way to read a body": async (fetch, url) => [
    await (await fetch(`${url}?page=2`)).json(),
    Buffer.from(await (await fetch(`${url}?page=2`)).arrayBuffer()).toString(),
    (await (await fetch(`${url}?page=2`)).blob()).type,
  ],

  // What is no request.
  "a relative URL": (fetch) => fetch("/api/tf1/records/"),
  "no URL": (fetch) => fetch(""),
  nothing: (fetch) => (fetch as () => unknown)(),
  null: (fetch) => fetch(null as never),
  credentials: (fetch, url) => fetch(url.replace("//", "//me:secret@")),
  ftp: (fetch, url) => fetch(url.replace("http:", "ftp:")),
  file: (fetch) => fetch("file:///etc/hosts"),
  data: async (fetch) => (await fetch("data:text/plain,a")).text(),
  "a wrong method": (fetch, url) => fetch(url, { method: "a b" }),
  TRACE: (fetch, url) => fetch(url, { method: "TRACE" }),
  "a wrong header": (fetch, url) => fetch(url, { headers: { "a b": "c" } }),
  "a wrong redirect": (fetch, url) => fetch(url, { redirect: "never" as never }),
  "a wrong signal": (fetch, url) => fetch(url, { signal: {} as never }),
  "mode navigate": (fetch, url) => fetch(url, { mode: "navigate" }),
};

/** Makes a call, and returns what a program sees of its result or of its error. */
export async function makeCall(
  name: string,
  fetch: typeof globalThis.fetch,
  origin: string,
): Promise<unknown> {
  return attempt(async () => {
    const result = await CALLS[name]?.(fetch, `${origin}/api/tf1/records/`, origin);
    return result instanceof Response ? describe(result, origin) : result;
  });
}

/** The names of the calls in which a service differs from the global `fetch`. */
export async function listDifferences({ fetch, listen }: Service): Promise<string[]> {
  const { url, close } = await listen({ port: 0 });
  const results = Object.keys(CALLS).map(async (name) => {
    const expected = await makeCall(name, globalThis.fetch, url);
    const actual = await makeCall(name, fetch, url);
    return isDeepStrictEqual(actual, expected) ? [] : [name];
  });
  return (await Promise.all(results).finally(close)).flat();
}
