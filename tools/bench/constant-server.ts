import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { print } from "../command-line/print.ts";

// Serves the response of a URL as a constant, with Node's own server, for `npm run bench`.

/** Headers that a server sets itself. */
const OWN_HEADERS = ["connection", "date", "keep-alive"];

const [url = ""] = process.argv.slice(2);
const response = await fetch(url);
const body = await response.text();
const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name)).flat();
const server = createServer((_, outgoing) => outgoing.writeHead(200, headers).end(body));
server.listen(0, "localhost", () => {
  const { port } = server.address() as AddressInfo;
  print(`Serving at http://localhost:${port}`);
});
