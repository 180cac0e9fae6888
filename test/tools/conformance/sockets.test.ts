import { createServer, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkConformance } from "../../../tools/conformance/check.ts";
import { listen } from "../../listen.ts";
import { createOwnService, makeCollection } from "./own-service.ts";

/** Sends the body of a response in its own way. */
type Send = (
  response: ServerResponse,
  body: string,
  headers: [name: string, value: string][],
  count: number,
) => void;

/** Writes a response to the socket as it is, and closes the connection. */
const sendRaw = (response: ServerResponse, startLine: string, lines: string[], body: string) =>
  response.socket?.end([startLine, ...lines, "", body].join("\r\n"));

/** Services that keep all rules in a way that only a socket shows. */
const SERVERS: Record<string, Send> = {
  "responds with HTTP/1.0, without the length of the body"(response, body, headers) {
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    sendRaw(response, `HTTP/1.0 ${response.statusCode} -`, lines, body);
  },
  "has another order and other letters in headers"(response, body, headers) {
    const lines = headers.reverse().map(([name, value]) => `${name.toUpperCase()}:${value}  `);
    sendRaw(response, `HTTP/1.1 ${response.statusCode} OK`, ["Connection: close", ...lines], body);
  },
  "sends chunks"(response, body) {
    for (const part of body.match(/.{1,100}/gs) ?? []) response.write(part);
    response.end();
  },
  "compresses bodies"(response, body) {
    response
      .setHeader("Content-Encoding", "gzip")
      .appendHeader("Vary", "Accept-Encoding")
      .end(gzipSync(body));
  },
  "cuts a body now and then"(response, body, _, count) {
    if (count % 4 > 0) response.end(body);
    else response.write(body.slice(0, 100), () => response.destroy());
  },
  "closes a connection now and then"(response, body, _, count) {
    if (count % 4 > 0) response.end(body);
    else response.destroy();
  },
};

test.each(Object.entries(SERVERS))("no rule is broken by a service that %s", async (_, send) => {
  const service = await createOwnService(makeCollection(40));
  let count = 0;
  const server = createServer(async ({ url = "", method = "", headers: { host } }, response) => {
    const own = await service.fetch(new Request(`http://${host}${url}`, { method }));
    response.statusCode = own.status;
    response.setHeaders(own.headers);
    count += 1;
    send(response, await own.text(), [...own.headers], count);
  });
  const { origin, close } = await listen(server);
  const report = await checkConformance(`${origin}/api/tf1/records/`, { backoff: 1 });
  await close();
  expect(report.rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
  expect(report).toMatchObject({ pages: 3, records: 40, stopped: null });
});
