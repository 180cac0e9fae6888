import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { listen } from "../../listen.ts";

/** What a service does instead of answering a page. */
export type Misbehaviour =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { body: string }
  /** Never answers. */
  | "stall"
  /** Sends half of the answer and ends the connection. */
  | "cut";

export interface Asked {
  page: number;
  /** Of all requests, from 0. */
  index: number;
  /** Of the requests for this page, from 1. */
  attempt: number;
  at: number;
  headers: IncomingMessage["headers"];
  url: string;
}

/** A service over a list in memory, which a test can change at any time, and which misbehaves on command. */
export interface Service {
  origin: string;
  /** Oldest first. */
  records: TrafficRecord[];
  asked: Asked[];
  /** The most requests that were open at a time. */
  mostOpen: number;
  /** Called with each request before the answer is made. */
  onAsk(asked: Asked): Misbehaviour | undefined | Promise<Misbehaviour | undefined>;
  /** Called between the count and the selection of the records, which a database does not do at once. */
  onSelect(asked: Asked): void;
  /** Changes what is answered. */
  alter(envelope: Record<string, unknown>, asked: Asked): unknown;
  /** Called with each answer before it is sent. */
  onSend(asked: Asked): Promise<void> | undefined;
  close(): Promise<void>;
}

export const PATH = "/api/tf1/records/";

export async function startService(records: TrafficRecord[], size = 15): Promise<Service> {
  let open = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    service.mostOpen = Math.max(service.mostOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    await answer(service, request, response, size);
  });
  const service: Service = {
    ...(await listen(server)),
    records,
    asked: [],
    mostOpen: 0,
    onAsk: () => undefined,
    onSelect() {},
    alter: (envelope) => envelope,
    onSend: () => undefined,
  };
  return service;
}

async function answer(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  size: number,
): Promise<void> {
  const asked = note(service, request);
  const misbehaviour = await service.onAsk(asked);
  if (misbehaviour === "stall") return;
  if (typeof misbehaviour === "object") {
    const { status = 200, headers = {}, body } = { status: 200, headers: {}, ...misbehaviour };
    response.writeHead(status, headers).end(body);
    return;
  }
  const envelope = makeEnvelope(service, asked, size);
  const body = JSON.stringify(envelope && service.alter(envelope, asked));
  await service.onSend(asked);
  const length = Buffer.byteLength(body ?? "");
  const headers = { "Content-Type": "application/json", "Content-Length": length };
  if (misbehaviour === "cut") {
    response.writeHead(200, headers).write(body.slice(0, body.length / 2), () => response.destroy());
  } else if (envelope) response.writeHead(200, headers).end(body);
  else response.writeHead(404).end('{"detail":"Invalid page."}');
}

function note(service: Service, { url = "", headers }: IncomingMessage): Asked {
  const page = Number(new URL(url, service.origin).searchParams.get("page"));
  const attempt = service.asked.filter((earlier) => earlier.page === page).length + 1;
  const asked = { page, index: service.asked.length, attempt, at: performance.now(), headers, url };
  service.asked.push(asked);
  return asked;
}

function makeEnvelope(service: Service, asked: Asked, size: number): Record<string, unknown> | undefined {
  const count = service.records.length;
  const { page } = asked;
  service.onSelect(asked);
  const end = service.records.length - size * (page - 1);
  const results = service.records.slice(Math.max(0, end - size), Math.max(0, end)).reverse();
  if (results.length === 0 && page > 1) return undefined;
  const link = (number: number) => `${service.origin}${PATH}?format=api&page=${number}`;
  const last = Math.max(1, Math.ceil(count / size));
  return {
    count,
    next: page < last ? link(page + 1) : null,
    previous: page > 1 ? link(page - 1) : null,
    results,
  };
}
