import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { attempt, type Call } from "./fetch-results.ts";

/** Aborts after the response has come, and then uses it. */
const abortLate =
  (use: (response: Response) => unknown, reason?: unknown, query = ""): Call =>
  async (fetch, url) => {
    const controller = new AbortController();
    const response = await fetch(url + query, { signal: controller.signal });
    controller.abort(reason);
    return [response.status, await attempt(() => use(response)), response.bodyUsed];
  };

/** Calls with a controller. */
const withAbort =
  (call: (fetch: typeof globalThis.fetch, url: string, controller: AbortController) => unknown): Call =>
  (fetch, url) =>
    call(fetch, url, new AbortController());

const body = (value: string) => `?prefer=body%3D${value}`;

/** Calls that are aborted, by their names. */
export const ABORTS: Record<string, Call> = {
  "an abort before the call": (fetch, url) => fetch(url, { signal: AbortSignal.abort() }),
  "an abort with a reason before the call": (fetch, url) => fetch(url, { signal: AbortSignal.abort("why") }),
  "an abort and a wrong URL": (fetch) => fetch("/relative", { signal: AbortSignal.abort("why") }),
  "a Request that is aborted": (fetch, url) => fetch(new Request(url, { signal: AbortSignal.abort("why") })),
  "an abort at once": withAbort((fetch, url, controller) => {
    const response = fetch(`${url}?prefer=hang`, { signal: controller.signal });
    controller.abort();
    return response;
  }),
  "an abort while it waits": withAbort((fetch, url, controller) => {
    setTimeout(() => controller.abort("why"), 50);
    return fetch(`${url}?prefer=hang`, { signal: controller.signal });
  }),
  "a time limit": (fetch, url) => fetch(`${url}?prefer=hang`, { signal: AbortSignal.timeout(50) }),
  "an abort after the response": abortLate((response) => response.text()),
  "an abort with a reason after the response": abortLate((response) => response.text(), "why"),
  "an abort with an error after the response": abortLate(
    (response) => response.json(),
    new RangeError("why"),
  ),
  "an abort after a response of HEAD": withAbort(async (fetch, url, controller) => {
    const response = await fetch(url, { method: "HEAD", signal: controller.signal });
    controller.abort();
    return response.text();
  }),
  "an abort after the response to a Request": withAbort(async (fetch, url, controller) => {
    const request = new Request(url, { signal: controller.signal });
    const response = await fetch(request);
    controller.abort();
    // Without the second member, the request could be collected first, and its signal would follow the controller no longer.
    return [await attempt(() => response.text()), request.method];
  }),
  "an abort after a slow body has begun": abortLate(
    async (response) => response.text(),
    undefined,
    body("slow"),
  ),
  "an abort while a body is read": withAbort(async (fetch, url, controller) => {
    const { body: stream } = await fetch(url + body("slow"), { signal: controller.signal });
    const reader = stream?.getReader();
    await reader?.read();
    controller.abort(new RangeError("why"));
    return reader?.read();
  }),
  "an abort after a garbage collection": withAbort(async (fetch, url, controller) => {
    setFlagsFromString("--expose-gc");
    const { body: stream } = await fetch(url + body("slow"), { signal: controller.signal });
    const reader = stream?.getReader();
    await reader?.read();
    runInNewContext("gc")();
    controller.abort();
    return reader?.read();
  }),
  "an abort while a body is awaited": withAbort(async (fetch, url, controller) => {
    const response = await fetch(url + body("slow"), { signal: controller.signal });
    const text = response.text();
    controller.abort();
    return text;
  }),
  "an abort after the body": withAbort(async (fetch, url, controller) => {
    const response = await fetch(`${url}?page=2`, { signal: controller.signal });
    const text = await response.text();
    controller.abort();
    return [text, response.bodyUsed];
  }),
  "an abort of a redirected request": withAbort(async (fetch, url, controller) => {
    const response = await fetch(url.replace(/.$/, ""), { signal: controller.signal });
    controller.abort();
    return response.text();
  }),
  "an abort of a signal that follows two": withAbort(async (fetch, url, controller) => {
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)]);
    const response = await fetch(url, { signal });
    controller.abort("why");
    return response.text();
  }),

  "a clone, read after an abort": abortLate((response) => response.clone().text()),
  "an abort of a cut body": abortLate((response) => response.text(), undefined, body("cut")),
};
