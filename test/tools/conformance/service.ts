import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { listen } from "../../listen.ts";
import { makeRecords } from "../../records/sample.ts";

export const PATH = "/api/tf1/records/";

/** Newest first, the newer half of recent years, the older of 2019: all that the specification shows. */
export function makeCollection(count: number): TrafficRecord[] {
  const move = (record: TrafficRecord, index: number) =>
    index < count / 2 ? record : { ...record, timestamp: record.timestamp.replace("2019", "2025") };
  return makeRecords(count).map(move).reverse();
}

export interface Asked {
  method: string;
  /** From the query, as text. */
  page: string | null;
  /** The path with its query. */
  target: string;
  /** Of all requests, from 0. */
  index: number;
  at: number;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

type Envelope = Record<string, unknown>;

/** A service that keeps to the specification, unless a test has it do otherwise. */
export interface Service {
  origin: string;
  /** Newest first. */
  records: unknown[];
  size: number;
  /** Where it answers. */
  path: string;
  asked: Asked[];
  /** Changes the page that is answered. */
  envelope(envelope: Envelope, number: number, asked: Asked): Envelope;
  /** Changes any answer. */
  reply(reply: Reply, asked: Asked): Reply | Promise<Reply>;
  close(): Promise<void>;
}

export async function startService(records: unknown[] = makeCollection(40)): Promise<Service> {
  const server = createServer((request, response) => answer(service, request, response));
  const service: Service = {
    ...(await listen(server)),
    records,
    size: 15,
    path: PATH,
    asked: [],
    envelope: (envelope) => envelope,
    reply: (reply) => reply,
  };
  return service;
}

async function answer(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url: target = "" } = request;
  const page = new URL(target, service.origin).searchParams.get("page");
  const asked = { method, page, target, index: service.asked.length, at: performance.now() };
  service.asked.push(asked);
  const { status, headers, body } = await service.reply(makeReply(service, asked), asked);
  response.writeHead(status, { "Content-Length": Buffer.byteLength(body), ...headers }).end(body);
}

const HEADERS = { Allow: "GET, OPTIONS", "Content-Type": "application/json", Vary: "Accept" };

function makeReply(service: Service, asked: Asked): Reply {
  const { method, page, target } = asked;
  const reply = (status: number, value: unknown) => ({
    status,
    headers: HEADERS,
    body: JSON.stringify(value),
  });
  if (!target.startsWith(service.path)) return reply(404, { detail: "Not found." });
  if (method === "OPTIONS") return reply(200, { name: "Records" });
  if (method !== "GET") return reply(405, { detail: `Method "${method}" not allowed.` });
  const number = Number(page ?? 1);
  const last = Math.max(1, Math.ceil(service.records.length / service.size));
  if (number < 1 || number > last) return reply(404, { detail: "Invalid page." });
  return reply(200, service.envelope(makeEnvelope(service, number, last), number, asked));
}

export function makeEnvelope({ origin, records, size }: Service, number: number, last: number): Envelope {
  const link = (page: number) => `${origin}${PATH}?format=api&page=${page}`;
  return {
    count: records.length,
    next: number < last ? link(number + 1) : null,
    previous: number > 1 ? link(number - 1) : null,
    results: records.slice(size * (number - 1), size * number),
  };
}
