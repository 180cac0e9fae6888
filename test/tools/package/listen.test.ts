import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Server, Service } from "../../../tools/package/index.d.ts";
import { listen } from "../../../tools/package/listen.ts";
import { makeRecords } from "../../records/sample.ts";
import { type RunningWorker, startWorker } from "../../worker.ts";
import { importPackage } from "./built.ts";

let service: Service;
let server: Server;
beforeAll(async () => {
  const { createService } = await importPackage();
  service = createService({ records: makeRecords(100) });
  server = await service.listen({ port: 0 });
});
afterAll(() => server.close());

const PATH = "/api/tf1/records/";

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

/** Sends bytes and returns all that the server sends until it closes the connection. */
async function send(url: string, bytes: string): Promise<string> {
  const socket = await openSocket(url);
  socket.write(bytes, "latin1");
  return text(socket);
}

describe("a fault on a real connection", () => {
  test("cut announces the whole body, and closes the connection before its end", async () => {
    const response = await fetch(`${server.url + PATH}?prefer=body%3Dcut`);
    const length = Number(response.headers.get("content-length"));
    const received: Uint8Array[] = [];
    const reading = Array.fromAsync(response.body!, (chunk) => received.push(chunk));
    await expect(reading).rejects.toThrow("terminated");
    const bytes = received.reduce((sum, chunk) => sum + chunk.length, 0);
    expect(bytes).toBeGreaterThan(length / 2);
    expect(bytes).toBeLessThan(length);
  });

  test("close sends nothing, in a page too, and the service goes on", async () => {
    const client = fetch(`${server.url + PATH}?prefer=close`);
    await expect(client).rejects.toMatchObject({ name: "TypeError", cause: { code: "UND_ERR_SOCKET" } });
    const accept = "Accept: text/html\r\n";
    for (const headers of ["", accept])
      expect(
        await send(server.url, `GET ${PATH}?prefer=close,on=1 HTTP/1.1\r\nHost: a\r\n${headers}\r\n`),
      ).toBe("");
    expect((await fetch(`${server.url + PATH}?prefer=close,on=2`)).status).toBe(200);
  });

  test("hang sends nothing", async () => {
    const socket = await openSocket(server.url);
    socket.write(`GET ${PATH}?prefer=hang HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await fetch(server.url + PATH);
    expect(socket.bytesRead).toBe(0);
    socket.destroy();
  });

  test("prints nothing, even if the client leaves meanwhile", async () => {
    const printing = [vi.spyOn(console, "error"), vi.spyOn(console, "info")];
    for (const fault of ["cut", "slow"]) {
      const socket = await openSocket(server.url);
      socket.write(`GET ${PATH}?prefer=body%3D${fault} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await once(socket, "data");
      socket.resetAndDestroy();
    }
    await fetch(`${server.url + PATH}?prefer=body%3Dcut`)
      .then((response) => response.text())
      .catch(() => {});
    for (const spy of printing) expect(spy).not.toHaveBeenCalled();
  });
});

describe("the signal of a request is aborted", () => {
  test.each([
    ["when the client leaves", (socket: Socket) => socket.destroy()],
    ["when the server is closed", (_: Socket, { close }: Server) => close()],
  ])("%s", async (_, end) => {
    const requests = new EventEmitter();
    const respond = async (request: Request) => {
      requests.emit("request", request);
      await once(request.signal, "abort");
      return new Response(null);
    };
    const waiting = await listen(respond, { port: 0 });
    const socket = await openSocket(waiting.url);
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [{ signal }] = await once(requests, "request");
    const aborted = once(signal, "abort");
    end(socket, waiting);
    await aborted;
    await waiting.close();
  });
});

describe("a client that misbehaves", () => {
  /** Longer than Node accepts, but read at once: a server that closes before it has read everything resets the connection. */
  const LONG = "a".repeat(17_000);

  test.each([
    ["an unknown method", "FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["a method without a response", "TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405],
    [
      "such a method with a condition, for a page",
      `TRACE ${PATH} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n`,
      405,
    ],
    ["no request", "garbage\r\n\r\n", 400],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00", 400],
    ["long headers", `GET / HTTP/1.1\r\nHost: a\r\nX: ${LONG}\r\n\r\n`, 431],
    ["a long URL", `GET /${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ["a wrong host", "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", 400],
    ["a host that is not ASCII", "GET / HTTP/1.1\r\nHost: \xe9\r\nConnection: close\r\n\r\n", 400],
    ["no URL", "GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 400],
    ["a broken body", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz", 400],
    ["a user in the URL", "GET http://a@localhost/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200],
    ["a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n", 400],
  ])("%s gets a status, and the service goes on", async (_, bytes, status) => {
    expect(await send(server.url, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect((await fetch(server.url)).status).toBe(200);
  });

  test("a body is not asked for and not read", async () => {
    const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n`;
    const response = await send(server.url, `${head}Expect: 100-continue\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1.1 405 /);
  });
});

describe("a client that stalls is disconnected", () => {
  /** Node measures it with timers of its own, which a test cannot replace. */
  const STALL_MS = 100;
  const GET = "GET / HTTP/1.1\r\nHost: localhost\r\n";

  /** How long the server keeps a connection on which this was sent. */
  async function measure(url: string, bytes: string): Promise<number> {
    const began = performance.now();
    await send(url, bytes);
    return performance.now() - began;
  }

  test.each([
    ["before its request", ""],
    ["in its headers", GET],
    ["in its body", `${GET.replace("GET", "POST")}Content-Length: 5\r\n\r\nx`],
  ])("%s", async (_, bytes) => {
    const { url, close } = await listen(async () => new Response("ok"), { port: 0 }, STALL_MS);
    const kept = await measure(url, bytes);
    await close();
    expect(kept).toBeGreaterThan(STALL_MS * 0.9);
    expect(kept).toBeLessThan(STALL_MS * 50);
  });

  test("while it receives, but not while it waits for the response", async () => {
    const large = new Uint8Array(50_000_000);
    const respond = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3 * STALL_MS));
      return new Response(large);
    };
    const { url, close } = await listen(respond, { port: 0 }, STALL_MS);
    const socket = await openSocket(url);
    socket.write(`${GET}\r\n`);
    const [first] = await once(socket, "data");
    socket.pause();
    expect(String(first)).toMatch(/^HTTP\/1.1 200 /);
    const closed = once(
      socket.on("error", () => {}),
      "close",
    );
    await new Promise((resolve) => setTimeout(resolve, 3 * STALL_MS));
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(large.length);
    await close();
  });
});

test.each([
  ["without a host", "GET /api/tf1/records/ HTTP/1.0\r\n\r\n", () => server.url],
  [
    "through a proxy",
    "GET http://counts.example/api/tf1/records/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    () => "http://counts.example",
  ],
])("a request %s gets links that work", async (_, bytes, origin) => {
  expect(await send(server.url, bytes)).toContain(`"next":"${origin()}/api/tf1/records/?format=api&page=2"`);
});

test.each([PATH, "/", "/robots.txt", `${PATH}?page=999`])("HEAD %s has the length of GET", async (path) => {
  const lengths = ["GET", "HEAD"].map(async (method) => {
    const response = await fetch(server.url + path, { method });
    return response.headers.get("content-length");
  });
  const [get, head] = await Promise.all(lengths);
  expect(Number(get)).toBeGreaterThan(0);
  expect(head).toBe(get);
});

test("a port that is in use is named", async () => {
  const port = Number(new URL(server.url).port);
  await expect(service.listen({ port })).rejects.toMatchObject({
    code: "EADDRINUSE",
    message: `Port ${port} of localhost is in use. Choose another port; port 0 is a free one.`,
  });
});

describe("static files are served as in a deployment:", () => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ migrate: false });
  });
  afterAll(() => worker.close());

  test.each([
    ["GET", "/robots.txt"],
    ["HEAD", "/README.md"],
    ["GET", "/LICENSE?x=1"],
    ["POST", "/robots.txt"],
    ["OPTIONS", "/robots.txt"],
    ["GET", "/favicon.ico?x=1"],
    ["GET", "/docs.html"],
    ["GET", "/_headers"],
    ["GET", "/robots.txt/"],
    ["GET", "/openapi.json/"],
  ])("%s %s", async (method, path) => {
    const request = async (origin: string, headers: Record<string, string> = {}) => {
      const response = await fetch(origin + path, { method, headers, redirect: "manual" });
      const {
        etag,
        date: _,
        connection: __,
        "keep-alive": ___,
        "cf-cache-status": ____,
        "content-length": _____,
        ...others
      } = Object.fromEntries(response.headers);
      return { etag, seen: { status: response.status, others, body: await response.text() } };
    };
    const [expected, actual] = [await request(worker.origin), await request(server.url)];
    expect(actual.seen).toEqual(expected.seen);
    if (!expected.etag) return;
    const again = await request(server.url, { "If-None-Match": actual.etag! });
    expect(again.seen).toMatchObject({ status: 304, body: "" });
  });
});
