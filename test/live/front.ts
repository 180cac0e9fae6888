import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { listen } from "../listen.ts";

/**
 * Stands in front of a service as a network of caches does: it compresses, makes entity-tags weak, adds headers, and refuses
 * every so many requests for a second.
 */
export async function openFront(origin: string, { refuseEvery }: { refuseEvery: number }) {
  const counters = { requests: 0, refused: 0 };
  const server = createServer(async ({ method = "GET", url = "/", headers }, outgoing) => {
    counters.requests += 1;
    if (counters.requests % refuseEvery === 0) {
      counters.refused += 1;
      outgoing.writeHead(429, { "Retry-After": "1" }).end("slow down");
      return;
    }
    const { connection: _, host, ...sent } = headers;
    const response = await fetch(origin + url, {
      method,
      headers: sent as Record<string, string>,
      redirect: "manual",
    });
    const {
      "transfer-encoding": __,
      "content-length": ___,
      ...received
    } = Object.fromEntries(response.headers);
    // The links must begin with the origin of the front.
    const text = (await response.text()).replaceAll(origin, `http://${host}`);
    if (received.link) received.link = received.link.replace(origin, `http://${host}`);
    const body = method === "HEAD" || text === "" ? Buffer.from(text) : gzipSync(text);
    const compressed = body.length > 0 && {
      "content-encoding": "gzip",
      ...(received.etag && { etag: `W/${received.etag}` }),
      vary:
        received.vary === undefined ? "Accept-Encoding" : `accept-encoding, ${received.vary.toLowerCase()}`,
    };
    outgoing.writeHead(response.status, { ...received, ...compressed, server: "front", "cf-ray": "8f1-AMS" });
    outgoing.end(body);
  });
  return { ...(await listen(server)), counters };
}
