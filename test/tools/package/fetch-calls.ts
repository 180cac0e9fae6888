import { isDeepStrictEqual } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Service } from "../../../tools/package/index.d.ts";

// Calls of `fetch`, each with what a program sees. They run in any Node that the package supports, without Vitest.

/**
 * @param fetch the global one, or another one that does the same
 * @param url of the collection
 */
type Call = (fetch: typeof globalThis.fetch, url: string, origin: string) => unknown;

/** Of the connection, or of the moment. */
const IGNORED_HEADERS = ["connection", "date", "keep-alive", "transfer-encoding"];

/** The response before its body is read. */
const getMetadata = (response: Response, origin: string) => ({
  url: response.url.replace(origin, ""),
  status: [response.status, response.statusText, response.ok],
  kind: [response.type, response.redirected],
  body: [response.body !== null, response.bodyUsed],
  headers: [...response.headers].filter(([name]) => !IGNORED_HEADERS.includes(name)),
});

/** The response and its body. */
const readResponse = async (response: Response, origin: string) => ({
  ...getMetadata(response, origin),
  text: await response.text(),
});

/** The result of an action, or what its error shows. */
const getOutcome = async (action: () => unknown): Promise<unknown> => {
  try {
    return await action();
  } catch (error) {
    const { name, message, cause } = Object(error);
    if (!(error instanceof Error)) return { thrown: error };
    // Other messages differ from one Node to the next.
    return { thrown: [error.constructor.name, name, cause?.code && [cause.code, message]] };
  }
};

const PATH = "/api/tf1/records/";
const MOVED = "/api/tf1/records";

/** Reads the response to a request for a path. */
const fetchPath =
  (path: string, init?: RequestInit): Call =>
  async (fetch, _, origin) =>
    readResponse(await fetch(origin + path, init), origin);

const POST = { method: "POST", body: "{}" };

const FAULTS = ["cut", "slow", "garbage", "empty"];

const bodyFault = (value: string) => `?prefer=body%3D${value}`;

/** Aborts after the response has come, and then uses it. */
const abortLate =
  (use: (response: Response) => unknown, query = ""): Call =>
  async (fetch, url) => {
    const controller = new AbortController();
    const response = await fetch(url + query, { signal: controller.signal });
    controller.abort();
    return [response.status, await getOutcome(() => use(response)), response.bodyUsed];
  };

/** Calls with a controller. */
const withAbort =
  (call: (fetch: typeof globalThis.fetch, url: string, controller: AbortController) => unknown): Call =>
  (fetch, url) =>
    call(fetch, url, new AbortController());

/** Calls that are aborted, by their names. */
const ABORTS: Record<string, Call> = {
  "an abort before the call": (fetch, url) => fetch(url, { signal: AbortSignal.abort() }),
  "an abort while it waits": withAbort((fetch, url, controller) => {
    setTimeout(() => controller.abort("why"), 50);
    return fetch(`${url}?prefer=hang`, { signal: controller.signal });
  }),
  "a time limit after a redirect": (fetch, _, origin) =>
    fetch(`${origin + MOVED}?prefer=on%3D1,hang`, { signal: AbortSignal.timeout(50) }),
  "an abort after the response": abortLate((response) => response.text()),
  "an abort while a body is read": withAbort(async (fetch, url, controller) => {
    const { body: stream } = await fetch(url + bodyFault("slow"), { signal: controller.signal });
    const reader = stream?.getReader();
    await reader?.read();
    controller.abort(new RangeError("why"));
    return reader?.read();
  }),
  "an abort after a garbage collection": withAbort(async (fetch, url, controller) => {
    setFlagsFromString("--expose-gc");
    const { body: stream } = await fetch(url + bodyFault("slow"), { signal: controller.signal });
    const reader = stream?.getReader();
    await reader?.read();
    runInNewContext("gc")();
    controller.abort();
    return reader?.read();
  }),
  "an abort after the body": withAbort(async (fetch, url, controller) => {
    const response = await fetch(`${url}?page=2`, { signal: controller.signal });
    const text = await response.text();
    controller.abort();
    return [text, response.bodyUsed];
  }),
  "a clone, read after an abort": abortLate((response) => response.clone().text()),
  "an abort of a cut body": abortLate((response) => response.text(), bodyFault("cut")),
};

/** Calls by their names. */
const CALLS: Record<string, Call> = {
  "a page": fetchPath(`${PATH}?page=2`),
  "a fragment": fetchPath(`${PATH}?page=2#newest`),
  "a Request and options": async (fetch, url, origin) =>
    readResponse(await fetch(new Request(url), { headers: { Prefer: "code=429" } }), origin),
  HEAD: fetchPath(PATH, { method: "HEAD" }),
  "a preflight": fetchPath(PATH, { method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } }),
  "304": async (fetch, url, origin) => {
    const { headers } = await fetch(url);
    return readResponse(
      await fetch(url, { headers: { "If-None-Match": headers.get("ETag") ?? "" } }),
      origin,
    );
  },
  "a closed connection": fetchPath(`${PATH}?prefer=close`),
  ...Object.fromEntries(
    FAULTS.flatMap((fault) =>
      ["GET", "HEAD"].map((method): [string, Call] => [
        `${method} with body=${fault}`,
        async (fetch, url, origin) => {
          const response = await fetch(`${url}${bodyFault(fault)},delay%3D300`, { method });
          return [getMetadata(response, origin), await getOutcome(() => response.text())];
        },
      ]),
    ),
  ),

  "headers that are changed": async (fetch, url) => {
    const response = await fetch(url);
    const changes = [
      () => response.headers.append("x", "y"),
      () => response.clone().headers.set("x", "y"),
      () => response.clone().clone().headers.delete("etag"),
      () => new Response(null, response).headers.set("x", "y"),
    ];
    return [await Promise.all(changes.map(getOutcome)), response.headers.has("etag")];
  },

  // Redirects.
  "a redirect": fetchPath(`${MOVED}?page=2`),
  "a redirect, followed by hand": fetchPath(`${MOVED}?page=2`, { redirect: "manual" }),
  "a redirect that is refused": async (fetch, _, origin) =>
    fetch(`${origin + MOVED}?page=2`, { redirect: "error" }),
  "a redirect of POST": fetchPath(MOVED, POST),
  "a redirect of PUT": fetchPath(MOVED, { method: "PUT", body: "{}" }),
  "a redirect with a fragment": fetchPath(`${MOVED}#newest`),
  "a redirect to a fragment": fetchPath("/go?date=2019-05-17"),
  "a redirect without If-None-Match lost": async (fetch, url, origin) => {
    const { headers } = await fetch(url);
    const init = { headers: { "If-None-Match": headers.get("ETag") ?? "" } };
    return readResponse(await fetch(origin + MOVED, init), origin);
  },

  // Clones.
  "a clone": async (fetch, url, origin) => {
    const response = await fetch(`${url}?page=2`);
    const clone = response.clone();
    return [
      await readResponse(clone, origin),
      await readResponse(response, origin),
      clone instanceof Response,
    ];
  },
  "a clone of a redirected response, and its clone": async (fetch, _, origin) => {
    const clone = (await fetch(origin + MOVED)).clone();
    return [getMetadata(clone, origin), await readResponse(clone.clone(), origin)];
  },

  ...ABORTS,

  // Bodies.
  "a Request with a body, twice": async (fetch, url) => {
    const request = new Request(url, POST);
    const { status } = await fetch(request);
    return [status, request.bodyUsed, await getOutcome(() => fetch(request))];
  },
  "a response that is cancelled": async (fetch, url) => {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.bodyUsed;
  },
  "a cut body that is cancelled": async (fetch, url) => (await fetch(url + bodyFault("cut"))).body?.cancel(),
  "a body that is read in parts": async (fetch, url) => {
    const received = [];
    for await (const chunk of (await fetch(`${url}?page=2`)).body ?? []) received.push(Buffer.from(chunk));
    return [Buffer.concat(received).toString(), received.every((chunk) => chunk.length > 0)];
  },
};

/** The calls in which a service differs from the global `fetch`, with what a program sees of both. */
export async function listDifferences({ fetch, listen }: Service) {
  const { url: origin, close } = await listen({ port: 0 });
  const run = (call: Call, fetch: typeof globalThis.fetch) =>
    getOutcome(async () => {
      const result = await call(fetch, origin + PATH, origin);
      return result instanceof Response ? getMetadata(result, origin) : result;
    });
  const results = Object.entries(CALLS).map(async ([name, call]) => {
    const expected = await run(call, globalThis.fetch);
    const actual = await run(call, fetch);
    return isDeepStrictEqual(actual, expected) ? [] : [{ name, actual, expected }];
  });
  return (await Promise.all(results).finally(close)).flat();
}
