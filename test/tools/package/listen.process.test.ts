import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { buffer, text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import { listen } from "../../../tools/package/listen.ts";
import { type Respond, toReply } from "../../../tools/package/respond.ts";
import { PATH } from "../../support/exchange.ts";
import { openSocket } from "../../support/free-port.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { CERT, importPackage, KEY } from "./built-package.ts";

const { createService } = await importPackage();
const service = createService({ records: makeRecords(100) });
const server = await service.listen({ port: 0 });
afterAll(() => server.close());

/** Returns the text of a request for a page of the collection. */
const request = (query = "") => `GET ${PATH}${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Sends lines and an empty line. Returns the response, which ends when the server closes the connection. */
async function send(url: string, lines: string[]): Promise<string> {
  return text(await openSocket(url.replace("localhost", "127.0.0.1"), `${lines.join("\r\n")}\r\n\r\n`));
}

describe("a fault on a real connection", () => {
  test.each([
    ["close", /^HTTP\/1.1 200 .+\}$/s],
    ["body%3Dcut", /^HTTP\/1.1 200 .+\}HTTP\/1.1 200 [^}]+\{"count":100,[^\]]+$/s],
  ])("%s ends a pipelined connection when it is its turn", async (fault, received) => {
    const requests = ["?prefer=delay%3D100", `?prefer=${fault}`, ""].map(request);
    expect(await text(await openSocket(server.url, requests.join("")))).toMatch(received);
  });

  test("prints nothing, even if the client disconnects", async () => {
    const printing = [vi.spyOn(console, "error"), vi.spyOn(console, "info")];
    for (const fault of ["cut", "slow"]) {
      const socket = await openSocket(server.url, request(`?prefer=body%3D${fault}`));
      await once(socket, "data");
      socket.resetAndDestroy();
    }
    await fetch(server.url);
    for (const spy of printing) expect(spy).not.toHaveBeenCalled();
  });
});

test("clients count by their address, whatever addresses a header names", async () => {
  const getStatus = async (claimed: string) => {
    const headers = { Prefer: "rate=1/h", "CF-Connecting-IP": claimed };
    return (await fetch(server.url + PATH, { headers })).status;
  };
  expect([await getStatus("192.0.2.1"), await getStatus("192.0.2.2")]).toEqual([200, 429]);
});

describe("a connection", () => {
  test.each([
    [50, 50],
    [51, 0],
    [800, 0],
  ])("with %i requests at once gets %i responses, one after another", async (count, responses) => {
    const states: string[] = [];
    const respond: Respond = async () => {
      states.push("begun");
      await setImmediate();
      states.push("ended");
      return toReply(new Response("x"));
    };
    await using counting = await listen(respond, { port: 0 });
    const requests = Array<string>(count - 1).fill("GET / HTTP/1.1\r\nHost: a\r\nExpect: all\r\n");
    const last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close";
    const received = await send(counting.url, [...requests, last]);
    expect(received.match(/HTTP\/1.1 200 /g) ?? []).toHaveLength(responses);
    expect(states.filter((state, index) => state !== ["begun", "ended"][index % 2])).toEqual([]);
    expect(states.length).toBeLessThan(2 * responses + 3);
  });

  test("is closed if its client does not read", async () => {
    const received = Promise.withResolvers<AbortSignal>();
    const respond: Respond = async ({ signal }) => {
      received.resolve(signal);
      return toReply(new Response(Buffer.alloc(50_000_000)));
    };
    await using ignored = await listen(respond, { port: 0 }, { idleMs: 300 });
    const socket = await openSocket(ignored.url, request());
    const signal = await received.promise;
    await expect.poll(() => signal.aborted).toBe(true);
    socket.destroy();
  });
});

describe("close", () => {
  const WHOLE = /^HTTP\/1.1 200 .*\]\}$/s;

  test.each<[what: string, requests: string[], received: RegExp, tls?: object]>([
    ["a connection without a request", [], /^$/],
    ["a connection without the handshake of TLS", [], /^$/, { cert: CERT, key: KEY }],
    ["a kept connection", [request()], WHOLE],
    ["a response that waits", [request("?prefer=hang")], /^$/],
    ["a response that waits after another one", [request(), request("?prefer=delay=10000")], WHOLE],
    ["a slow body", [request("?prefer=body=slow,delay=10000")], /^HTTP\/1.1 200 (?!.*close)(?!.*\r\n0\r\n)/s],
  ])("ends %s, once and for all callers", async (_, requests, received, tls) => {
    const { url, close } = await service.listen({ port: 0, ...tls });
    service.reset();
    const response = text(await openSocket(url.replace("localhost", "127.0.0.1"), requests.join("")));
    await vi.waitUntil(() => service.requests.length === requests.length);
    await Promise.all([close(), close()]);
    await close();
    expect(await Promise.race([response, setImmediate("not ended")])).toMatch(received);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  test("does not end what waits at another server", async () => {
    const { close } = await service.listen({ port: 0 });
    service.reset();
    const ended = vi.fn();
    const response = fetch(`${server.url + PATH}?prefer=hang`).catch(ended);
    await vi.waitUntil(() => service.requests.length === 1);
    await close();
    await fetch(server.url);
    expect(ended).not.toHaveBeenCalled();
    service.reset();
    await response;
  });

  test("with a grace answers late requests, also on connections that nobody has accepted", async () => {
    const respond: Respond = async ({ url }, client) => {
      if (url.endsWith("hang")) client?.onWait();
      return toReply(new Response(await getCode()));
    };
    const { url, close } = await listen(respond, { port: 0, host: "127.0.0.1" }, { graceMs: 600_000 });
    const getCode = () => fetch(url).catch(({ cause }) => cause.code);
    const [idle, waiting] = [await openSocket(url, ""), await openSocket(url, "")];
    const connecting = openSocket(url, request());
    // It has connected, but the server can accept it only in the next turn of the event loop.
    await new Promise(process.nextTick);
    const closed = close();
    await expect.poll(getCode).toBe("ECONNREFUSED");
    idle.write(request());
    waiting.write(request("?prefer=hang"));
    expect(await text(waiting)).toBe("");
    for (const socket of [idle, await connecting])
      expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*connection: close.*\r\nECONNREFUSED$/is);
    await closed;
  });

  test("waits for a client that reads late, but not for one that reads nothing", async () => {
    const body = Buffer.alloc(50_000_000);
    const { url, close } = await listen(async () => toReply(new Response(body)), { port: 0 });
    const sockets = await Promise.all([openSocket(url, request()), openSocket(url, request())]);
    await Promise.all(sockets.map((socket) => once(socket, "readable")));
    const closed = close();
    await expect(fetch(url)).rejects.toThrow();
    const [reading] = sockets;
    const { length } = await buffer(reading!);
    expect(length).toBeGreaterThan(body.length);
    await closed;
    for (const socket of sockets) socket.destroy();
  });
});

test("as many responses can wait as a test needs", async () => {
  const headers = { Prefer: "code=418, delay=1000" };
  const responses = Array.from({ length: 150 }, () => fetch(server.url + PATH, { headers }));
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([418]));
});

test("a bug is printed, and is a 500, and the service continues", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const respond = vi.fn<Respond>().mockRejectedValueOnce(new Error("a bug"));
  await using broken = await listen(respond, { port: 0 });
  const response = await fetch(broken.url);
  expect([response.status, await response.json()]).toEqual([500, { detail: "A server error occurred." }]);
  expect(log).toHaveBeenCalledExactlyOnceWith("a bug");
  respond.mockResolvedValueOnce(toReply(new Response("next")));
  expect(await (await fetch(broken.url)).text()).toBe("next");
});

const LOCAL = server.url.replace("localhost", "127.0.0.1");
const linksTo = (origin: string) => `"next":"${origin}${PATH}?format=api&page=2"`;
const statusIs = (status: number) => new RegExp(`^HTTP/1.1 ${status} `);
const withHost = (host: string, expected: string) =>
  [`the host ${host}`, linksTo(`http://${expected}`), [`GET ${PATH} HTTP/1.1`, `Host: ${host}`]] as const;

// biome-ignore format: a table of cases
test.each<readonly [what: string, expected: string | RegExp, lines: readonly string[]]>([
  ...["counts", "localhost:8787", "[::1]:8787"].map((host) => withHost(host, host)),
  ...["LOCALHOST", "localhost:80"].map((host) => withHost(host, "localhost")),
  withHost("my_counts:80", "my_counts"),
  ["the target that a proxy gets", linksTo("http://a.example"), [`GET http://a.example${PATH} HTTP/1.1`, "Host: a"]],
  ...[["HTTP/1.0"], ["HTTP/1.1", "Host:"]].map(([version, ...lines]) => [`${version} without a host`, linksTo(LOCAL), [`GET ${PATH} ${version}`, ...lines]] as const),
  ["a URL of 30,000 characters", /^HTTP\/1.1 414 .*"detail"/s, [`GET ${PATH}?a=${"a".repeat(30_000)} HTTP/1.1`, "Host: a"]],
  ["a URL of 33,000 characters", statusIs(431), [`GET ${PATH}?a=${"a".repeat(33_000)} HTTP/1.1`, "Host: a"]],
  ["TRACE, a method that `new Request()` rejects,", statusIs(405), ["TRACE / HTTP/1.1", "Host: a"]],
  ["no HTTP", statusIs(400), ["garbage"]],
  ...["a b", "\xe9", "a/b:", "a/b", "999.999.9.9", "a';id;'b", "a$(id)b"].map((host) => [`the host ${host}`, statusIs(400), ["GET / HTTP/1.1", `Host: ${host}`]] as const),
  ["two hosts", statusIs(400), ["GET / HTTP/1.1", "Host: a", "Host: a"]],
  ["the value host, and not the name,", linksTo("http://a"), [`GET ${PATH} HTTP/1.1`, "A: host", "Host: a"]],
  ...["constructor", "__proto__"].map((name) => [`a header ${name}`, statusIs(200), ["GET / HTTP/1.1", "Host: a", `${name}: 1`]] as const),
  ["no URL", statusIs(400), ["GET * HTTP/1.1", "Host: a"]],
  ["a user in the URL", statusIs(400), ["GET http://a@localhost/ HTTP/1.1", "Host: a"]],
  ["a password in the URL and a fault", statusIs(400), [`GET http://a:secret@localhost${PATH} HTTP/1.1`, "Host: a", "Prefer: delay=1"]],
  ["no host", statusIs(400), ["GET / HTTP/1.1"]],
  ["body=cut", /^HTTP\/1.1 200 .*\{"count":100,/s, [`GET ${PATH}?prefer=body=cut HTTP/1.1`, "Host: a"]],
  ["close, which sends nothing,", /^$/, [`GET ${PATH}?prefer=close,on=1 HTTP/1.1`, "Host: a"]],
  ["close for a browser", /^$/, [`GET ${PATH}?prefer=close,on=1 HTTP/1.1`, "Host: a", "Accept: text/html"]],
])("a request with %s gets %s, logs nothing, needs no timer, and the service continues", async (_, expected, [first, ...lines]) => {
  const log = vi.spyOn(console, "error");
  // A test of a client may have stopped all timers.
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate"] });
  const response = await send(server.url, [String(first), "Connection: close", ...lines]);
  vi.useRealTimers();
  if (typeof expected === "string") expect(response).toContain(expected);
  else expect(response).toMatch(expected);
  expect((await fetch(`${server.url + PATH}?prefer=close,on=2`)).status).toBe(200);
  expect(log).not.toHaveBeenCalled();
  expect(service.requests.some(({ url }) => url.includes("secret"))).toBe(false);
});

/** The addresses of `localhost`. Some machines and containers have no IPv6. */
const found = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address));
const ADDRESSES = ["127.0.0.1", "::1"].filter((address) => found.includes(address));

test.each(ADDRESSES)("a server of localhost needs %s, and keeps idle connections for long", async (host) => {
  const { url, close } = await service.listen({ host, port: 0 });
  const port = Number(new URL(url).port);
  const message = `port ${port} of ${host}: another program uses this port`;
  await expect(service.listen({ port })).rejects.toThrow(message);
  await close();
  await using server = await service.listen({ port });
  expect(server.url).toBe(`http://localhost:${port}`);
  const { status, headers } = await fetch(url);
  expect([status, headers.get("Keep-Alive")]).toEqual([200, "timeout=130"]);
});
