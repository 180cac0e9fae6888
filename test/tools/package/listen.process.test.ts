import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test, vi } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { openSocket } from "../../support/free-port.ts";
import { importPackage } from "./built-package.ts";

const { createService } = await importPackage();
const service = createService({ records: makeRecords(100) });
const server = await service.listen({ port: 0 });
afterAll(() => server.close());

const PATH = "/api/tf1/records/";

/** Sends lines and an empty line. Returns the response, which ends when the server closes the connection. */
async function send(url: string, lines: string[]): Promise<string> {
  return text(await openSocket(url.replace("localhost", "127.0.0.1"), `${lines.join("\r\n")}\r\n\r\n`));
}

describe("a fault on a real connection", () => {
  test("close sends nothing, not even HTML, and the service continues", async () => {
    const request = [`GET ${PATH}?prefer=close,on=1 HTTP/1.1`, "Host: a"];
    expect(await send(server.url, request)).toBe("");
    expect(await send(server.url, [...request, "Accept: text/html"])).toBe("");
    expect((await fetch(`${server.url + PATH}?prefer=close,on=2`)).status).toBe(200);
  });

  test("prints nothing, even if the client disconnects", async () => {
    const printing = [vi.spyOn(console, "error"), vi.spyOn(console, "info")];
    for (const fault of ["cut", "slow"]) {
      const request = `GET ${PATH}?prefer=body%3D${fault} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      const socket = await openSocket(server.url, request);
      await once(socket, "data");
      socket.resetAndDestroy();
    }
    await fetch(server.url);
    for (const spy of printing) expect(spy).not.toHaveBeenCalled();
  });
});

test("an address has at most 50 slots until its clients disconnect, whatever addresses a header names", async () => {
  const { listen, requests } = createService({ records: makeRecords(20) });
  await using server = await listen({ host: "0.0.0.0", port: 0 });
  /** Sends a request from an address of this machine, without reading the body. */
  const getStatus = async (localAddress: string, Prefer: string, signal?: AbortSignal) => {
    const headers = { Prefer, "CF-Connecting-IP": `192.0.2.${requests.length}` };
    const options = { localAddress, headers, agent: false, ...(signal && { signal }) };
    // Aborting after the response is an error, too.
    const sent = request(server.url + PATH, options).on("error", () => {});
    const [{ statusCode }] = await once(sent.end(), "response");
    return statusCode;
  };
  const client = new AbortController();
  for (const prefer of [...Array(25).fill("hang"), ...Array(25).fill("body=slow, delay=10000")])
    getStatus("127.0.0.1", prefer, client.signal).catch(() => {});
  await vi.waitUntil(() => requests.length === 50, 30_000);
  expect(await getStatus("127.0.0.1", "delay=1")).toBe(503);
  expect(await getStatus("127.0.0.2", "delay=1")).toBe(200);
  client.abort();
  await expect.poll(() => getStatus("127.0.0.1", "delay=1"), { timeout: 8_000 }).toBe(200);
});

describe("an invalid request", () => {
  test.each([
    ["TRACE, a method that `new Request()` rejects,", 405, ["TRACE / HTTP/1.1", "Host: a"]],
    ["no HTTP", 400, ["garbage"]],
    ["a host with a space", 400, ["GET / HTTP/1.1", "Host: a b"]],
    ["a host that is not ASCII", 400, ["GET / HTTP/1.1", "Host: \xe9"]],
    ["a host with a path", 400, ["GET / HTTP/1.1", "Host: a/b"]],
    ["no URL", 400, ["GET * HTTP/1.1", "Host: a"]],
    ["a user in the URL", 400, ["GET http://a@localhost/ HTTP/1.1", "Host: a"]],
    ["a password in the URL of HEAD", 400, ["HEAD http://a:b@localhost/ HTTP/1.1", "Host: a"]],
    ["no host", 400, ["GET / HTTP/1.1"]],
    ["a host that is not a valid address", 400, ["GET / HTTP/1.1", "Host: 999.999.9.9"]],
  ])("with %s gets %i, and the service continues", async (_, status, [first = "", ...others]) => {
    const response = await send(server.url, [first, "Connection: close", ...others]);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect((await fetch(server.url)).status).toBe(200);
  });

  test.each(["Accept: text/html", "Prefer: delay=1"])(
    "with a password in the URL is not logged: %s",
    async (header) => {
      const log = vi.spyOn(console, "error");
      const condition = ["If-None-Match: *", header, "Connection: close"];
      const head = [`GET http://user:secret@localhost${PATH} HTTP/1.1`, "Host: a", ...condition];
      expect(await send(server.url, head)).toMatch(/^HTTP\/1.1 400 /);
      expect(log).not.toHaveBeenCalled();
      expect(service.requests.some(({ url }) => url.includes("secret"))).toBe(false);
    },
  );
});

test("a request through a proxy gets links that work", async () => {
  const lines = [`GET http://a.example${PATH} HTTP/1.1`, "Host: a", "Connection: close"];
  expect(await send(server.url, lines)).toContain(`"next":"http://a.example${PATH}?format=api&page=2"`);
});

test("a request in HTTP/1.0 without a host gets links to the address of the server", async () => {
  const next = `"next":"${server.url.replace("localhost", "127.0.0.1") + PATH}?format=api&page=2"`;
  expect(await send(server.url, [`GET ${PATH} HTTP/1.0`])).toContain(next);
});

test.each(["127.0.0.1", "[::1]"])("the server of localhost also listens on %s", async (address) => {
  expect((await fetch(server.url.replace("localhost", address))).status).toBe(200);
});

test.each(["127.0.0.1", "::1"])(
  "listen reports that %s has the port in use, and leaves nothing open",
  async (host) => {
    const { url, close } = await service.listen({ host, port: 0 });
    const port = Number(new URL(url).port);
    const message = `port ${port} of ${host}: another program uses this port`;
    await expect(service.listen({ port })).rejects.toThrow(message);
    await close();
    await using server = await service.listen({ port });
    expect(server.url).toBe(`http://localhost:${port}`);
  },
);
