import { createServer } from "node:http";
import { expect, test, vi } from "vitest";
import { createClient } from "../../../tools/command-line/client.ts";
import { listenOnFreePort } from "../../support/free-port.ts";

const URL = "http://counts.example/";

test("a client asks for JSON without default faults, and once more after the connection is reset", async () => {
  const received: unknown[] = [];
  const server = createServer(({ method, headers, socket }, response) => {
    received.push([method, headers.accept, headers.prefer]);
    if (received.length === 1) socket.resetAndDestroy();
    else response.writeHead(302, { Location: "/" }).end("moved");
  });
  const { origin, close } = await listenOnFreePort(server);
  const { status, body } = await createClient(300)(origin);
  await close();
  expect([status, Buffer.from(body).toString()]).toEqual([302, "moved"]);
  expect(received).toEqual(Array(2).fill(["GET", "application/json", "none"]));
});

test.each([
  [10_000_000, expect.objectContaining({ body: expect.objectContaining({ length: 10_000_000 }) })],
  [10_000_001, `GET ${URL}: no response, the body is larger than 10000000 bytes`],
])("of a body of %i bytes, a client returns all or nothing", async (bytes, outcome) => {
  vi.stubGlobal("fetch", async () => new Response(new Uint8Array(bytes)));
  expect(await createClient(1)(URL).catch((error: Error) => error.message)).toEqual(outcome);
});

/** A status, the headers of a 429, the error code of a request without a response, or `hang`. */
type Behavior = number | Record<string, string> | string;

/** Sends a request to a service that always behaves alike, with a fake clock. Returns the outcome, and when each attempt was made. */
async function send(behavior: Behavior, method: string) {
  vi.useFakeTimers({ now: 0 });
  const times: number[] = [];
  vi.stubGlobal("fetch", async () => {
    times.push(Math.round(Date.now() / 1_000));
    if (behavior === "hang") return new Promise(() => {});
    if (typeof behavior === "string")
      throw new TypeError("fetch failed", { cause: new Error(`connect ${behavior} 192.0.2.1:80`) });
    if (typeof behavior === "number") return new Response("text", { status: behavior });
    return new Response("text", { status: 429, headers: behavior });
  });
  const answer = createClient(1_000)(URL, { method }).catch((error: Error) => error.message);
  await vi.runAllTimersAsync();
  return { times, outcome: await answer };
}

const EMPTY = new Uint8Array();
const FOUR_TIMES = [0, 1, 3, 7, 15];

// biome-ignore format: a table of cases
test.each<[behavior: Behavior, method: string, times: number[], outcome: unknown]>([
  [429, "GET", FOUR_TIMES, `GET ${URL}: 429 again and again`],
  [408, "GET", FOUR_TIMES, expect.objectContaining({ status: 408, body: EMPTY })],
  [500, "GET", FOUR_TIMES, expect.objectContaining({ status: 500, body: EMPTY })],
  [503, "GET", FOUR_TIMES, expect.objectContaining({ status: 503, body: EMPTY })],
  ["ECONNRESET", "GET", FOUR_TIMES, `GET ${URL}: no response, connect ECONNRESET 192.0.2.1:80`],
  ["ETIMEDOUT", "GET", FOUR_TIMES, `GET ${URL}: no response, connect ETIMEDOUT 192.0.2.1:80`],
  [{ "Retry-After": "7" }, "GET", [0, 7, 14, 21, 28], `GET ${URL}: 429 again and again`],
  [{ "Retry-After": "3600" }, "GET", [0, 60, 120, 180, 240], `GET ${URL}: 429 again and again`],
  ["hang", "GET", [0, 31, 63, 97, 135], expect.stringContaining("no response, Request timed out")],
  [404, "GET", [0], expect.objectContaining({ status: 404, body: new TextEncoder().encode("text") })],
  [503, "POST", [0], expect.objectContaining({ status: 503 })],
  ["ENOTFOUND", "GET", [0], `GET ${URL}: no response, connect ENOTFOUND 192.0.2.1:80`],
  ["ECONNREFUSED", "GET", [0], `GET ${URL}: no response, connect ECONNREFUSED 192.0.2.1:80`],
  ["ETIMEDOUT", "POST", [0], `POST ${URL}: no response, connect ETIMEDOUT 192.0.2.1:80`],
])("%o to %s is sent after %j seconds, and not again", async (behavior, method, times, outcome) => {
  expect(await send(behavior, method)).toEqual({ times, outcome });
});
