import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { listen } from "../listen.ts";

interface Passed {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Front {
  origin: string;
  /** Requests so far, and how many of them it refused. */
  counters: { requests: number; refused: number };
  close(): Promise<void>;
}

/**
 * Stands in front of a service as a network of caches does: it compresses, makes entity-tags weak, adds headers, and refuses
 * every so many requests for a second.
 * @param doctor changes an answer, where the front is to be broken
 */
export async function openFront(
  origin: string,
  { refuseEvery = 0, doctor = (answer: Passed) => answer } = {},
): Promise<Front> {
  const counters = { requests: 0, refused: 0 };
  const server = createServer(async (incoming, outgoing) => {
    counters.requests += 1;
    if (refuseEvery > 0 && counters.requests % refuseEvery === 0) {
      counters.refused += 1;
      outgoing.writeHead(429, { "Retry-After": "1" }).end("slow down");
      return;
    }
    const { method = "GET", url = "/" } = incoming;
    const answer = doctor(await pass(origin + url, method, incoming.headers));
    const { headers, body } = compress(answer, incoming.headers["accept-encoding"] ?? "");
    outgoing.writeHead(answer.status, {
      ...headers,
      server: "front",
      "cf-ray": "8f1-AMS",
      "alt-svc": 'h3=":443"',
    });
    outgoing.end(body);
  });
  return { ...(await listen(server)), counters };
}

/** The service gets the host that the client asked. */
async function pass(url: string, method: string, headers: IncomingHttpHeaders): Promise<Passed> {
  const outgoing = request(url, { method, headers: { ...headers, "accept-encoding": "identity" } });
  outgoing.end();
  const [incoming] = await once(outgoing, "response");
  const { connection: _, "transfer-encoding": __, ...own } = incoming.headers;
  return { status: incoming.statusCode, headers: own, body: await buffer(incoming) };
}

function compress({ headers, body }: Passed, accepted: string): Pick<Passed, "headers" | "body"> {
  const { "content-length": _, etag, vary, ...others } = headers;
  if (!accepted.includes("gzip") || body.length === 0 || headers["content-encoding"])
    return { headers, body };
  return {
    headers: {
      ...others,
      "content-encoding": "gzip",
      ...(etag === undefined ? {} : { etag: `W/${etag}` }),
      vary: vary === undefined ? "Accept-Encoding" : `accept-encoding, ${vary}`,
    },
    body: gzipSync(body),
  };
}
